import type { ParserBlock, ParserInline, StateBlock, StateInline } from "markdown-it";

/** Maximum length of an inline formula, in characters. */
const MAX_INLINE_CHARACTERS = 400;
/** The rule of GitHub and Pandoc: `$5 and $6` is not a formula. */
const INLINE = /^\$(?!\s)([^$`\n]*?[^$`\s\\])\$(?![\w$])/;

/**
 * Preserves formulas as written: within `$…$` and `$$…$$`, `_`, `*` and `\` are part of the formula. The page draws
 * the formula's source text.
 */
export function keepMath(parser: { readonly block: ParserBlock; readonly inline: ParserInline }): void {
  parser.block.ruler.before("table", "math_block", blockRule, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  parser.inline.ruler.before("escape", "math", inlineRule);
}

/** Parses a formula from `$$` at the start of a line to `$$` at the end of a later line as one paragraph. */
function blockRule(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const lineText = (line: number) =>
    state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
  const first = lineText(startLine);
  if (!first.startsWith("$$") || first.indexOf("$$", 2) !== -1) return false;
  let line = startLine + 1;
  while (line < endLine && !lineText(line).includes("$$")) {
    if (state.isEmpty(line) || (state.sCount[line] ?? 0) < state.blkIndent) return false;
    line += 1;
  }
  if (line >= endLine || !/^[^$]*\$\$\s*$/.test(lineText(line))) return false;
  if (silent) return true;
  const map: [number, number] = [startLine, line + 1];
  state.push("paragraph_open", "p", 1).map = map;
  const inline = state.push("inline", "", 0);
  inline.content = state.getLines(startLine, line + 1, state.blkIndent, false).trim();
  inline.map = map;
  inline.children = [];
  state.push("paragraph_close", "p", -1);
  state.line = line + 1;
  return true;
}

function inlineRule(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 0x24) return false;
  const formula = src.startsWith("$$", pos) ? displayAt(src, pos) : inlineAt(src, pos);
  if (formula === undefined) return false;
  if (!silent) {
    for (const [index, line] of formula.split("\n").entries()) {
      if (index > 0) state.push("hardbreak", "br", 0);
      state.push("text", "", 0).content = line.trim();
    }
  }
  state.pos += formula.length;
  return true;
}

function displayAt(src: string, start: number): string | undefined {
  const end = src.indexOf("$$", start + 2);
  return end === -1 ? undefined : src.slice(start, end + 2);
}

function inlineAt(src: string, start: number): string | undefined {
  if (start > 0 && /[\w$]/.test(src.charAt(start - 1))) return undefined;
  return INLINE.exec(src.slice(start, start + MAX_INLINE_CHARACTERS))?.[0];
}
