import highlighter from "highlight.js/lib/common";

/** A run of code with one color. */
export interface CodeRun {
  readonly text: string;
  readonly scope: CodeScope | undefined;
}

export type CodeScope =
  | "comment"
  | "keyword"
  | "string"
  | "number"
  | "title"
  | "type"
  | "meta"
  | "addition"
  | "deletion";

const MAX_LENGTH = 50_000;

/** Highlights code. Returns undefined for an unknown language and for code of more than 50,000 characters. */
export function highlight(code: string, language: string): readonly CodeRun[] | undefined {
  if (code.length > MAX_LENGTH || !highlighter.getLanguage(language)) return undefined;
  const result = highlighter.highlight(code, { language, ignoreIllegals: true });
  const runs: CodeRun[] = [];
  collect((result._emitter as unknown as { readonly rootNode: ScopeNode }).rootNode, undefined, runs);
  return runs;
}

/** The internal tree of highlight.js. It is read directly, so that no HTML is written and parsed. */
interface ScopeNode {
  readonly scope?: string;
  readonly children: readonly (ScopeNode | string)[];
}

function collect(node: ScopeNode, inherited: CodeScope | undefined, runs: CodeRun[]): void {
  const scope = toScope(node.scope) ?? inherited;
  for (const child of node.children) {
    if (typeof child === "string") runs.push({ text: child, scope });
    else collect(child, scope, runs);
  }
}

function toScope(name: string | undefined): CodeScope | undefined {
  if (name === undefined) return undefined;
  return SCOPES.find(([pattern]) => pattern.test(name))?.[1];
}

const SCOPES: readonly (readonly [RegExp, CodeScope])[] = [
  [/^(comment|quote)/, "comment"],
  [/^(keyword|literal|selector-tag|doctag|operator)/, "keyword"],
  [/^(string|regexp|subst|char|template)/, "string"],
  [/^(number|symbol|bullet)/, "number"],
  [/^(title\.class|type|built_in|class)/, "type"],
  [/^(title|function|name|section)/, "title"],
  [/^(meta|attr|attribute|property|selector|variable|tag)/, "meta"],
  [/^addition/, "addition"],
  [/^deletion/, "deletion"],
];
