import type { KnownLines } from "../../known-lines.ts";
import { TOKEN } from "./code-tokens.ts";

/** The strings of a language that can span lines. */
export interface SpanningStrings {
  /** Their quotes: single characters, or groups of three. */
  readonly quotes: readonly string[];
  /** Matches a line that is a comment if it begins outside of strings. */
  readonly comment: RegExp;
  /** Whether the language has the comments of C, which can span lines. */
  readonly hasBlockComments?: boolean;
  /** Reports whether a string could begin in a line in a way that `quotes` does not describe. */
  readonly isDoubtful?: (line: string) => boolean;
}

/** A quote that is not closed in its line. */
const OPEN_QUOTE = /^["'`]$/;
const ANY_QUOTE = /["'`]/;
/** In markup, an apostrophe is text, so it is unknown which of the quotes around a backtick begin a string. */
const QUOTED_BACKTICK = /'[^']*`[^']*'|"[^"]*`[^"]*"/;
/** Heredocs, long brackets, percent literals, sigils, dollar quotes and raw strings of other languages. */
const OTHER_STRINGS = /<<|\[=*\[|%[a-z]?[^\w\s=]|~[a-z]|\$\w*\$|\$\/|"""|'''|\bq["{]/i;
const BLOCK_SCALAR = /[|>][-+\d]*\s*$/;

const SLASH = { comment: /^\s*\/\//, hasBlockComments: true };
const isDoubtful = (line: string) =>
  OTHER_STRINGS.test(line) ||
  (ANY_QUOTE.test(line) && (line.match(TOKEN) ?? []).some((token) => OPEN_QUOTE.test(token)));
/** Languages whose strings are not described: a string may begin at any unclosed quote. */
const OTHER: SpanningStrings = { quotes: [], comment: /^\s*(?:#|\/\/|\*\s)/, isDoubtful };

const LANGUAGES: readonly (readonly [extensions: string, strings: SpanningStrings | undefined])[] = [
  ["json jsonc proto thrift glsl hlsl wgsl sol", undefined],
  ["go ts mts cts", { ...SLASH, quotes: ["`"] }],
  ["js jsx mjs cjs tsx", { ...SLASH, quotes: ["`"], isDoubtful: (line) => QUOTED_BACKTICK.test(line) }],
  ["java kt kts scala swift", { ...SLASH, quotes: ['"""'] }],
  ["cs", { ...SLASH, quotes: ['"""'], isDoubtful: (line) => /@\$?"|\$@"/.test(line) }],
  ["dart", { ...SLASH, quotes: ['"""', "'''"] }],
  ["graphql py pyi toml", { quotes: ['"""', "'''"], comment: /^\s*#/ }],
  ["rs", { ...SLASH, quotes: ['"'], isDoubtful: (line) => /\b[bc]?r#*"/.test(line) }],
  [
    "c cc cpp cxx h hh hpp hxx m mm",
    { ...SLASH, quotes: [], isDoubtful: (line) => /\b(?:u8|[uUL])?R"/.test(line) },
  ],
  ["sql lua", { ...OTHER, comment: /^\s*--(?!\[)/ }],
  ["yaml yml", { ...OTHER, isDoubtful: (line) => BLOCK_SCALAR.test(line) || isDoubtful(line) }],
];
const BY_EXTENSION = new Map(
  LANGUAGES.flatMap(([extensions, strings]) => extensions.split(" ").map((each) => [each, strings] as const)),
);

/** Returns the strings of a file's language that can span lines; undefined if it has none. */
export function spanningStringsOf(path: string): SpanningStrings | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return BY_EXTENSION.has(extension) ? BY_EXTENSION.get(extension) : OTHER;
}

/** What is open at the end of a line: a string (its quote), a block comment (`COMMENT_END`) or nothing (empty). */
type Open = string;
const COMMENT_END = "*/";

/** Maximum characters of a line. The time to search a line grows with the square of its length. */
const MAX_LINE = 2_000;
/** Maximum characters of the searched lines of a file. */
const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * Returns the numbers, from 1, of the lines that are certainly outside of strings that span lines. `lines` are those
 * of a whole file. Stops at the first line that is unknown, exceeds a limit, or leaves it unknown where a string begins
 * or ends.
 */
export function linesOutsideStrings(lines: KnownLines, strings: SpanningStrings): ReadonlySet<number> {
  const outside = new Set<number>();
  let open: Open = "";
  let isContinued = false;
  let length = 0;
  for (const [index, line] of lines.entries()) {
    if (line === undefined || line.length > MAX_LINE) break;
    length += line.length;
    if (length > MAX_LENGTH) break;
    const after: Open | undefined =
      open === "" ? openAfterCode(line, strings) : openAfterText(line, open, strings);
    if (after === undefined) break;
    if (!isContinued && !isString(open) && !isString(after)) outside.add(index + 1);
    open = after;
    isContinued = line.endsWith("\\");
  }
  return outside;
}

function isString(open: Open): boolean {
  return open !== "" && open !== COMMENT_END;
}

/** Returns what is open after a line that begins in a string or comment; undefined if that is unknown. */
function openAfterText(line: string, open: Open, { quotes }: SpanningStrings): Open | undefined {
  const at = line.indexOf(open);
  const text = at < 0 ? line : line.slice(0, at);
  if (isString(open) && hasOpenExpression(text)) return undefined;
  if (at < 0) return open;
  const rest = line.slice(at + open.length);
  if (open === COMMENT_END) return mayBeginText(rest, quotes) ? undefined : "";
  return text.endsWith("\\") || ANY_QUOTE.test(rest) || rest.includes("/*") ? undefined : "";
}

/** Returns what is open after a line that begins outside of strings and comments; undefined if that is unknown. */
function openAfterCode(line: string, strings: SpanningStrings): Open | undefined {
  const { quotes, comment, hasBlockComments = false } = strings;
  if (comment.test(line)) return "";
  if (strings.isDoubtful?.(line)) return undefined;
  const quote = quotes.find((each) => line.includes(each));
  if (quote !== undefined && quote.length > 1) return openAfterGroup(line, strings);
  const hasComment = hasBlockComments && quotes.length > 0 && line.includes("/*");
  return quote !== undefined || hasComment ? openAfterTokens(line, quotes) : "";
}

function openAfterGroup(line: string, strings: SpanningStrings): Open | undefined {
  const [code = "", open = "", ...texts] = line.split(/("""|''')/);
  if (!strings.quotes.includes(open) || /["'#/]/.test(code)) return undefined;
  return openAfterText(texts.join(""), open, strings);
}

function openAfterTokens(line: string, quotes: readonly string[]): Open | undefined {
  // In Rust, `'` encloses a character or begins the name of a lifetime.
  const code = quotes.includes('"') ? line.replace(/'(?:\\.[^']*|[^\\'])'|'\w+/g, " ") : line;
  /** Whether the tokens up to here are certain: no regular expression and no unclosed quote precedes. */
  let isCertain = true;
  for (const { 0: token, index } of code.matchAll(TOKEN)) {
    const isText = token.length > 1 && ANY_QUOTE.test(token[0] ?? "");
    if (isCertain && token.startsWith("//") && !code.includes(COMMENT_END, index)) return "";
    if (!isText && token.includes("/*")) return isCertain ? openAfterComment(code, index, quotes) : undefined;
    if (!quotes.some((each) => token.includes(each))) {
      if (!isText && (token.includes("/") || OPEN_QUOTE.test(token))) isCertain = false;
    } else if (!isCertain || (isText && quotes.includes(token[0] ?? "") && hasOpenExpression(token))) {
      return undefined;
    } else if (!isText) {
      const text = code.slice(index + 1);
      const isOpen = token !== "`" || BEFORE_TEMPLATE.test(code.slice(0, index));
      return isOpen && !text.includes(token) && !hasOpenExpression(text) ? token : undefined;
    }
  }
  return "";
}

/** Returns what is open after a line with a block comment that begins at `index`. */
function openAfterComment(code: string, index: number, quotes: readonly string[]): Open | undefined {
  if (!code.startsWith("/*", index) || !/(?:^|[\s{(,;])$/.test(code.slice(0, index))) return undefined;
  const end = code.indexOf(COMMENT_END, index + 2);
  if (end < 0) return COMMENT_END;
  return mayBeginText(code.slice(end + 2), quotes) ? undefined : "";
}

/** Reports whether a string or a comment may begin in a text. */
function mayBeginText(text: string, quotes: readonly string[]): boolean {
  return text.includes("/*") || quotes.some((each) => text.includes(each));
}

/** Matches the code before a backtick that begins a template, but not the text before a backtick in markup. */
const BEFORE_TEMPLATE =
  /^\s*$|[\w$]$|(?:[([{=,:?+&|;!]|=>|\b(?:await|case|default|in|of|return|throw|typeof|yield))\s*$/;
/** The end of an expression in a string, without braces and backticks. */
const SIMPLE_EXPRESSION = /^(?:[^{}"'`]|"[^"{}`]*"|'[^'{}`]*')*\}/;

/** Reports whether a text contains the beginning of an expression that is not closed, or is not simple. */
function hasOpenExpression(text: string): boolean {
  return text
    .split("${")
    .slice(1)
    .some((piece) => !SIMPLE_EXPRESSION.test(piece));
}
