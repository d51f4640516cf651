import hljs from "highlight.js/lib/common";
import { TOKEN_TYPES } from "../../../src/render/diff/text/token-types.ts";
import { LINE_BREAK } from "../../../src/render/diff/text/tokens.ts";

/** Maximum length in UTF-16 units of a highlighted text, because highlight.js is slow. */
const MAX_TEXT_LENGTH = 100_000;

/**
 * Highlights with highlight.js, for saved pages and for browsers that do not allow WebAssembly. Returns undefined for
 * an unknown language or a text longer than `MAX_TEXT_LENGTH`.
 */
export function scriptHighlighter(text: string, language: string): Uint32Array | undefined {
  if (text.length > MAX_TEXT_LENGTH || !hljs.getLanguage(language)) return undefined;
  const html = hljs.highlight(text, { language, ignoreIllegals: true }).value;
  return recordsFromHtml(html);
}

/**
 * Converts the markup of highlight.js to records. The markup consists of nested spans with a class, and text in which
 * character references stand for single characters.
 */
export function recordsFromHtml(html: string): Uint32Array {
  const records: number[] = [];
  const open: number[] = [];
  let offset = 0;
  for (const [, opened, closed, entity, plain] of html.matchAll(
    /<span class="hljs-([^"]*)">|(<\/span>)|(&[a-z#0-9]+;)|([^<&]+)/g,
  )) {
    if (opened !== undefined) open.push(toType(opened));
    else if (closed !== undefined) open.pop();
    else offset = addText(records, entity === undefined ? (plain ?? "") : "&", offset, open.at(-1) ?? 0);
  }
  return Uint32Array.from(records);
}

function addText(records: number[], text: string, from: number, type: number): number {
  let offset = from;
  text.split("\n").forEach((line, index) => {
    if (index > 0) {
      offset += 1;
      records.push(offset, LINE_BREAK);
    }
    if (line.length === 0) return;
    offset += line.length;
    records.push(offset, type);
  });
  return offset;
}

const BY_CLASS: Readonly<Record<string, keyof typeof TOKEN_TYPES>> = {
  keyword: "keyword",
  literal: "boolean",
  built_in: "type.builtin",
  type: "type",
  "title function_": "function",
  "title class_": "type",
  title: "function",
  string: "string",
  regexp: "string.regex",
  number: "number",
  comment: "comment",
  doctag: "comment.doc",
  meta: "preproc",
  attr: "property",
  attribute: "attribute",
  property: "property",
  tag: "tag",
  name: "tag",
  symbol: "constant",
  variable: "variable",
  params: "variable.parameter",
  operator: "operator",
  punctuation: "punctuation",
  subst: "embedded",
};

function toType(classes: string): number {
  const known = BY_CLASS[classes] ?? BY_CLASS[classes.split(" ")[0] ?? ""];
  return known === undefined ? 0 : TOKEN_TYPES[known];
}
