import {
  findLine,
  LINE_ADDED,
  LINE_REMOVED,
  lineNumber,
  lineText,
  type ParsedPatch,
  type Side,
} from "../../../src/render/diff/patch/parsed-patch.ts";
import type { LineAnchor } from "./comment.ts";

/** Lines of context stored on each side of an anchor. */
const CONTEXT = 3;

/**
 * Creates an anchor for lines. `start` and `end` are counted from 1 and inclusive. `textOf` returns the text of a line;
 * lines for which it returns undefined are left out.
 */
export function anchorLines(
  side: Side,
  start: number,
  end: number,
  textOf: (number: number) => string | undefined,
): LineAnchor {
  const texts = (from: number, to: number) => {
    const found: string[] = [];
    for (let number = from; number <= to; number++) {
      const text = textOf(number);
      if (text !== undefined) found.push(text);
    }
    return found;
  };
  return {
    side,
    start,
    end,
    lines: texts(start, end),
    before: texts(Math.max(1, start - CONTEXT), start - 1),
    after: texts(end + 1, end + CONTEXT),
  };
}

/**
 * Finds the lines of an anchor in a patch: at their original numbers if the text is unchanged, or otherwise at the
 * position with the same text, the most similar context and the smallest distance. Returns undefined if the text is not
 * on that side, or if it is not at the original numbers and all its lines are blank.
 */
export function relocate(anchor: LineAnchor, patch: ParsedPatch): { start: number; end: number } | undefined {
  const at = findLine(patch, anchor.side, anchor.start);
  if (at >= 0 && matchesAt(anchor, patch, at)) return { start: anchor.start, end: anchor.end };
  if (anchor.lines.every((text) => text.trim() === "")) return undefined;
  let best: { start: number; score: number } | undefined;
  for (let line = 0; line < patch.lineCount; line++) {
    if (!isOn(patch, line, anchor.side) || !matchesAt(anchor, patch, line)) continue;
    const start = lineNumber(patch, line, anchor.side);
    const score = surroundings(anchor, patch, line) * 1_000 - Math.min(999, Math.abs(start - anchor.start));
    if (best === undefined || score > best.score) best = { start, score };
  }
  return best && { start: best.start, end: best.start + (anchor.end - anchor.start) };
}

function isOn(patch: ParsedPatch, line: number, side: Side): boolean {
  return patch.kind[line] !== (side === "old" ? LINE_ADDED : LINE_REMOVED);
}

/** Returns the index of the next or previous line of a side; -1 if the patch does not contain that line. */
function neighbour(patch: ParsedPatch, line: number, side: Side, step: 1 | -1): number {
  const wanted = lineNumber(patch, line, side) + step;
  for (let at = line + step; at >= 0 && at < patch.lineCount; at += step) {
    if (isOn(patch, at, side)) return lineNumber(patch, at, side) === wanted ? at : -1;
  }
  return -1;
}

function matchesAt(anchor: LineAnchor, patch: ParsedPatch, line: number): boolean {
  let at = line;
  for (const [index, text] of anchor.lines.entries()) {
    if (at < 0 || lineText(patch, at) !== text) return false;
    if (index < anchor.lines.length - 1) at = neighbour(patch, at, anchor.side, 1);
  }
  return anchor.lines.length > 0;
}

/** Counts the unchanged context lines around the anchor. */
function surroundings(anchor: LineAnchor, patch: ParsedPatch, line: number): number {
  let score = 0;
  let at = line;
  for (const text of [...anchor.before].reverse()) {
    at = neighbour(patch, at, anchor.side, -1);
    if (at >= 0 && lineText(patch, at) === text) score++;
    if (at < 0) break;
  }
  at = line;
  for (let step = 1; step < anchor.lines.length && at >= 0; step++) at = neighbour(patch, at, anchor.side, 1);
  for (const text of anchor.after) {
    if (at < 0) break;
    at = neighbour(patch, at, anchor.side, 1);
    if (at >= 0 && lineText(patch, at) === text) score++;
  }
  return score;
}
