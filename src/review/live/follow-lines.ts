import { diffArrays } from "diff/lib/diff/array.js";
import type { AnchorContext } from "./session-log.ts";

/** Line numbers from 1, both inclusive. */
export interface LineRange {
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Lines that are kept before and after an anchor. */
const CONTEXT_LINES = 8;
/** Maximum edits between two versions; beyond it, lines are found by their text and neighbors alone. */
const MAX_EDITS = 2_000;

/** Returns the lines before and after a range. */
export function getContext(lines: readonly string[], { lineStart, lineEnd }: LineRange): AnchorContext {
  return {
    before: lines.slice(Math.max(0, lineStart - 1 - CONTEXT_LINES), lineStart - 1),
    after: lines.slice(lineEnd, lineEnd + CONTEXT_LINES),
  };
}

/**
 * Returns the position of a range's lines in a later version of the text, or undefined if one of them was changed or
 * removed. Lines that were inserted between them become part of the range. Returns `unknown` if the range touches the
 * part between the first and the last change, and the versions differ by more than `MAX_EDITS` edits.
 */
export function followLines(
  before: readonly string[],
  after: readonly string[],
  { lineStart, lineEnd }: LineRange,
): LineRange | "unknown" | undefined {
  const shared = Math.min(before.length, after.length);
  let head = 0;
  while (head < shared && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shared - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  if (lineEnd <= head) return { lineStart, lineEnd };
  const shift = after.length - before.length;
  if (lineStart > before.length - tail) return { lineStart: lineStart + shift, lineEnd: lineEnd + shift };
  const parts = diffArrays(before.slice(head, before.length - tail), after.slice(head, after.length - tail), {
    maxEditLength: MAX_EDITS,
  });
  if (!parts) return "unknown";
  const positions = new Map<number, number>();
  let [from, to] = [head, head];
  for (const { added, removed, value } of parts) {
    if (!added && !removed)
      for (let step = 0; step < value.length; step += 1) positions.set(from + step + 1, to + step + 1);
    if (!added) from += value.length;
    if (!removed) to += value.length;
  }
  const at = (line: number) => {
    if (line <= head) return line;
    return line > before.length - tail ? line + shift : positions.get(line);
  };
  for (let line = lineStart; line <= lineEnd; line += 1) if (at(line) === undefined) return undefined;
  return { lineStart: at(lineStart) ?? lineStart, lineEnd: at(lineEnd) ?? lineEnd };
}

/**
 * Finds lines by their text and neighbors. Among lines of equal text, prefers the lines with the most equal
 * neighbors, then the nearest lines. Returns undefined if the text does not occur, or if neighbors are known and
 * none of them is equal.
 */
export function findLines(
  lines: readonly string[],
  code: readonly string[],
  { before, after }: AnchorContext,
  near: number,
): LineRange | undefined {
  let best: { at: number; score: number } | undefined;
  for (let at = lines.indexOf(code[0] ?? ""); at >= 0; at = lines.indexOf(code[0] ?? "", at + 1)) {
    if (!code.every((line, step) => lines[at + step] === line)) continue;
    const score =
      equalFrom(before.length, (step) => before.at(-1 - step) === lines[at - 1 - step]) +
      equalFrom(after.length, (step) => after[step] === lines[at + code.length + step]);
    const distance = (position: number) => Math.abs(position + 1 - near);
    if (!best || score > best.score || (score === best.score && distance(at) < distance(best.at)))
      best = { at, score };
  }
  const hasContext = before.length + after.length > 0;
  if (!best || (hasContext && best.score === 0)) return undefined;
  return { lineStart: best.at + 1, lineEnd: best.at + code.length };
}

function equalFrom(length: number, isEqual: (step: number) => boolean): number {
  let step = 0;
  while (step < length && isEqual(step)) step += 1;
  return step;
}
