/** Properties of a language that decide which changes of its text have no effect on a program. */
export interface Syntax {
  /**
   * The part of a file in which whitespace between two tokens has no meaning: everywhere, within a line, or only at the
   * end of a line and in blank lines.
   */
  readonly layout: "free" | "lines" | "fixed";
  /** Whether a comma before a closing bracket and the kind of quotes have no meaning. */
  readonly hasFreeStyle: boolean;
  /** Whether the language has text between tags, in which whitespace is shown. */
  readonly hasMarkup: boolean;
}

const FREE_STYLE = new Set(["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"]);
const MARKUP = new Set(["js", "jsx", "tsx"]);
const FREE = new Set(
  (
    "c cc cpp cs cxx d dart glsl graphql h hh hlsl hpp hxx java json json5 jsonc m mm pas proto rs sol sql thrift " +
    "wgsl"
  ).split(" "),
);
/** File extensions of languages in which the end of a line can end a statement. */
const LINES = new Set("ex exs go gradle groovy jl kt kts lua r rb scala swift".split(" "));

/** Returns the syntax of a file by its name. The layout of an unknown language is `fixed`. */
export function syntaxOf(path: string): Syntax {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  const hasFreeStyle = FREE_STYLE.has(extension);
  const layout = hasFreeStyle || FREE.has(extension) ? "free" : LINES.has(extension) ? "lines" : "fixed";
  return { layout, hasFreeStyle, hasMarkup: MARKUP.has(extension) };
}

/** Adjacent operator characters are one token, so that `a - -b` differs from `a --b`. */
export const TOKEN =
  /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[\p{L}\p{N}_$]+|[-+*/%=<>!&|^~?:.@#]+|[^\s\p{L}\p{N}_$]/gu;
/** Keywords after which the end of a line ends the statement. */
const ENDS_AT_NEWLINE = /(?:^|[^\p{L}\p{N}_$])(?:return|throw|break|continue|yield|async)\s*$/u;
/** Quotes that are not closed at the end of a line: whitespace after them could be text. */
const OPEN_QUOTE = /^[`"']$/;
/** A directive of the C preprocessor: `#define F (x)` is not `#define F(x)`. */
const DIRECTIVE = /^\s*#/;
/** Whitespace of a line beside a tag or an expression in markup. */
const SHOWN_SPACE = /(?:\/?(?<!=)>|\})[ \t]+[<{\p{L}\p{N}]|[\p{L}\p{N}.,:;!?][ \t]+<[/\p{L}]/u;

/**
 * Returns the tokens of lines, without whitespace between them where it has no meaning. Text in quotes is one token, so
 * that its whitespace counts; in a line with an unclosed quote, all whitespace counts.
 */
export function tokensOf(lines: readonly string[], syntax: Syntax): readonly string[] {
  const tokens: string[] = [];
  for (const line of lines) {
    if (line.trim() === "") continue;
    if (syntax.layout === "fixed") {
      tokens.push(line.trimEnd());
      continue;
    }
    const found = line.match(TOKEN) ?? [];
    if (found.some((token) => OPEN_QUOTE.test(token))) {
      tokens.push(line);
      continue;
    }
    if (DIRECTIVE.test(line) || (syntax.hasMarkup && SHOWN_SPACE.test(line))) {
      tokens.push(line.trim());
      continue;
    }
    for (const token of found) tokens.push(syntax.hasFreeStyle ? withPlainQuotes(token) : token);
    if (syntax.layout === "lines" || ENDS_AT_NEWLINE.test(line)) tokens.push("\n");
  }
  return syntax.hasFreeStyle ? withoutTrailingCommas(tokens) : tokens;
}

function withPlainQuotes(token: string): string {
  const isPlain = token.startsWith("'") && token.length > 1 && !/["\\]/.test(token);
  return isPlain ? `"${token.slice(1, -1)}"` : token;
}

function withoutTrailingCommas(tokens: readonly string[]): readonly string[] {
  return tokens.filter((token, index) => token !== "," || !/^[)\]}]$/.test(tokens[index + 1] ?? ""));
}
