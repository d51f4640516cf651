import MarkdownIt, { type StateBlock, type StateInline } from "markdown-it";
import footnote from "markdown-it-footnote";
import { keepMath } from "./math.ts";

/**
 * Parses CommonMark with GitHub's tables, strikethrough, autolinks, footnotes and formulas. Raw HTML is text, except
 * for `<br>` and `<details>`. `text_join` is disabled so that escapes and entities remain separate tokens, whose
 * position in the source is known. Inline footnotes (`^[text]`) are disabled, because GitHub lacks them and their text
 * would be drawn far from its position in the source.
 */
export const parser = new MarkdownIt("default", { html: false, linkify: true, typographer: false })
  .use(footnote)
  .use(htmlSubset)
  .use(keepMath)
  .disable(["text_join", "footnote_inline"]);
parser.validateLink = isSafeLink;
// The address is drawn as written; by default, percent-encoding and punycode would be decoded.
parser.normalizeLinkText = (text) => text;

/** Reports whether a URL is safe to open with a click. Other links stay text. */
function isSafeLink(url: string): boolean {
  const address = url.trim().replace(/[\u0000-\u0020\u007f-\u009f]/g, "");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined || ["http", "https", "mailto"].includes(scheme)) return true;
  // A Windows path, or an image embedded in the text.
  return scheme.length === 1 || /^data:image\/(png|jpeg|webp|gif);/i.test(address);
}

/**
 * Adds the HTML elements that plans use for formatting: `<br>`, and `<details>` with `<summary>`. Other HTML stays
 * text, as do these elements with an attribute other than `open`, which could hide text from the reader.
 */
function htmlSubset(parser: InstanceType<typeof MarkdownIt>): void {
  parser.core.ruler.before("block", "details_pairs", (state) => {
    state.env.details = detailsPairs(state.src);
  });
  parser.block.ruler.before("table", "details", detailsRule, { alt: ["paragraph", "blockquote", "list"] });
  parser.inline.ruler.before("autolink", "html_break", breakRule);
}

const BREAK = /^<br[ \t]*\/?>/i;

function breakRule(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false;
  const [written] = BREAK.exec(state.src.slice(state.pos, state.pos + 20)) ?? [];
  if (written === undefined) return false;
  if (!silent) state.push("html_break", "br", 0).markup = written;
  state.pos += written.length;
  return true;
}

const OPEN = /^<details(?:[ \t]+open(?:=(?:""|"open"))?)?[ \t]*>/i;
const CLOSE = /<\/details>[ \t]*$/i;
const SUMMARY = /^<summary>(.*?)<\/summary>/i;

/**
 * Returns, for the line of each `<details>` that is closed, the line of its closing tag, counted from 0. Fenced code
 * blocks are skipped.
 */
function detailsPairs(source: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  let fence: string | undefined;
  for (const [line, written] of source.split("\n").entries()) {
    const text = written.replace(/^(?:[ \t]*(?:>|[-*+]|\d+[.)])(?=[ \t]))*[ \t]*/, "");
    const mark = /^(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && text.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    if (OPEN.test(text)) open.push(line);
    const opener = CLOSE.test(text) ? open.pop() : undefined;
    if (opener !== undefined) pairs.set(opener, line);
  }
  return pairs;
}

function detailsRule(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const at = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
  if (state.src.charCodeAt(at) !== 0x3c || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4)
    return false;
  const opener = OPEN.exec(state.src.slice(at, state.eMarks[startLine]))?.[0];
  const pairs = state.env.details as Map<number, number> | undefined;
  const close = pairs?.get(startLine);
  if (opener === undefined || close === undefined || close >= endLine) return false;
  if (silent) return true;
  // Otherwise another block that begins on this line would end with the same tag.
  pairs?.delete(startLine);

  const kept = keepLines(state, [startLine, close]);
  const token = state.push("details_open", "details", 1);
  token.map = [startLine, close + 1];
  token.meta = {
    opensAlone: isBlank(state.src.slice(at + opener.length, state.eMarks[startLine])),
    closesAlone: isBlank(state.src.slice(state.bMarks[close], state.eMarks[close]).replace(CLOSE, "")),
  };
  moveStart(state, startLine, at + opener.length);
  const closeAt =
    (state.bMarks[close] ?? 0) + state.src.slice(state.bMarks[close], state.eMarks[close]).search(CLOSE);
  state.eMarks[close] = closeAt;
  const summaryLine = summary(state, startLine, close);
  if (summaryLine !== undefined) kept.push(...keepLines(state, [summaryLine.line]));
  if (summaryLine) moveStart(state, summaryLine.line, summaryLine.end);
  const { lineMax, parentType } = state;
  state.lineMax = close + 1;
  state.parentType = "blockquote";
  state.md.block.tokenize(state, summaryLine?.line ?? startLine, close + 1);
  state.lineMax = lineMax;
  state.parentType = parentType;
  state.push("details_close", "details", -1);
  for (const restore of kept.reverse()) restore();
  state.line = close + 1;
  return true;
}

const isBlank = (text: string) => /^[\s>]*$/.test(text);

/** Returns functions that restore the current marks of lines. */
function keepLines(state: StateBlock, lines: readonly number[]): (() => void)[] {
  return lines.map((line) => {
    const { [line]: bMark = 0 } = state.bMarks;
    const { [line]: eMark = 0 } = state.eMarks;
    const { [line]: tShift = 0 } = state.tShift;
    const { [line]: sCount = 0 } = state.sCount;
    return () => {
      state.bMarks[line] = bMark;
      state.eMarks[line] = eMark;
      state.tShift[line] = tShift;
      state.sCount[line] = sCount;
    };
  });
}

/** Moves the start of a line to an offset in the source. */
function moveStart(state: StateBlock, line: number, offset: number): void {
  const rest = state.src.slice(offset, state.eMarks[line]);
  state.bMarks[line] = offset;
  state.tShift[line] = rest.length - rest.trimStart().length;
  state.sCount[line] = state.blkIndent;
}

/** Parses the summary if the details begin with one. Returns its line and its end in the source, or undefined. */
function summary(
  state: StateBlock,
  startLine: number,
  close: number,
): { readonly line: number; readonly end: number } | undefined {
  let line = startLine;
  while (line < close && state.isEmpty(line)) line += 1;
  const at = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  const [written, content] = SUMMARY.exec(state.src.slice(at, state.eMarks[line])) ?? [];
  if (written === undefined || content === undefined) return undefined;
  // A link definition after the summary would not be drawn, although its line counts as drawn.
  if (
    state.src
      .slice(at + written.length, state.eMarks[line])
      .trimStart()
      .startsWith("[")
  )
    return undefined;
  state.push("summary_open", "summary", 1).map = [line, line + 1];
  const inline = state.push("inline", "", 0);
  inline.content = content.trim();
  inline.map = [line, line + 1];
  inline.children = [];
  state.push("summary_close", "summary", -1);
  return { line, end: at + written.length };
}
