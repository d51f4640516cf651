import {
  LINE_ADDED,
  LINE_CONTEXT,
  lineText,
  type ParsedPatch,
  type Side,
} from "../../../../src/render/diff/patch/parsed-patch.ts";
import type { Ranges } from "../../../../src/render/diff/text/word-diff.ts";

export interface SearchQuery {
  readonly text: string;
  readonly matchCase: boolean;
  readonly regex: boolean;
}

/**
 * A match in a line of a patch. `line` is the index in the patch, and `number` the line number on `side`. `start` and
 * `end` (exclusive) are columns, counted from 0 in UTF-16 units.
 */
export interface Match {
  readonly line: number;
  readonly side: Side;
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Compiles a query. Returns undefined if the query is empty, or the error message if its regular expression
 * is invalid.
 */
export function toPattern(query: SearchQuery): RegExp | string | undefined {
  if (query.text === "") return undefined;
  const source = query.regex ? query.text : query.text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  try {
    return new RegExp(source, query.matchCase ? "g" : "gi");
  } catch (error) {
    return error instanceof Error ? error.message : "Invalid regular expression";
  }
}

/**
 * Returns up to `limit` matches in a file's patch, in order. Searches plain text in the whole patch, which is faster
 * than line by line, and a regular expression in each line, so that `^` and `$` match at its start and end.
 */
export function searchPatch(patch: ParsedPatch, query: SearchQuery, limit: number): Match[] {
  const pattern = toPattern(query);
  if (!(pattern instanceof RegExp)) return [];
  return query.regex ? searchLines(patch, pattern, limit) : searchText(patch, pattern, limit);
}

function searchText(patch: ParsedPatch, pattern: RegExp, limit: number): Match[] {
  const matches: Match[] = [];
  let line = 0;
  pattern.lastIndex = patch.start[0] ?? 0;
  for (let hit = pattern.exec(patch.text); hit && matches.length < limit; hit = pattern.exec(patch.text)) {
    line = lineAtOffset(patch, hit.index, line);
    if (line < 0) break;
    const isInside =
      hit.index >= (patch.start[line] ?? 0) && hit.index + hit[0].length <= (patch.end[line] ?? 0);
    if (isInside) matches.push(matchAt(patch, line, hit.index, hit[0].length));
  }
  return matches;
}

function searchLines(patch: ParsedPatch, pattern: RegExp, limit: number): Match[] {
  const matches: Match[] = [];
  for (let line = 0; line < patch.lineCount; line++) {
    const start = patch.start[line] ?? 0;
    const found = rangesIn(lineText(patch, line), pattern);
    for (let at = 0; at < found.length && matches.length < limit; at += 2) {
      const from = found[at] ?? 0;
      matches.push(matchAt(patch, line, start + from, (found[at + 1] ?? 0) - from));
    }
    if (matches.length >= limit) break;
  }
  return matches;
}

function matchAt(patch: ParsedPatch, line: number, offset: number, length: number): Match {
  const kind = patch.kind[line];
  const side: Side = kind === LINE_ADDED || kind === LINE_CONTEXT ? "new" : "old";
  const number = (side === "new" ? patch.newLine[line] : patch.oldLine[line]) ?? 0;
  const start = offset - (patch.start[line] ?? 0);
  return { line, side, number, start, end: start + length };
}

/**
 * Returns the line at an offset, or the next line if the offset is between lines; -1 after the last line.
 * Searches from line `from` on.
 */
function lineAtOffset(patch: ParsedPatch, offset: number, from: number): number {
  let low = from;
  let high = patch.lineCount - 1;
  if (high < 0 || (patch.end[high] ?? 0) < offset) return -1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((patch.end[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the matches in one line as a flat list of starts and ends (exclusive). Omits empty matches. */
export function rangesIn(text: string, pattern: RegExp): Ranges {
  const ranges: number[] = [];
  pattern.lastIndex = 0;
  for (let hit = pattern.exec(text); hit; hit = pattern.exec(text)) {
    if (hit[0] === "") pattern.lastIndex++;
    else ranges.push(hit.index, hit.index + hit[0].length);
  }
  return ranges;
}

/**
 * Maximum number of highlighted matches in a line. A line of data may contain thousands, which browsers take
 * seconds to render.
 */
const MAX_PAINTED = 200;

/** Returns at most `MAX_PAINTED` ranges: those around the match that starts at `current`, or the first ones. */
export function nearest(ranges: Ranges, current = 0): Ranges {
  const count = MAX_PAINTED * 2;
  if (ranges.length <= count) return ranges;
  const at = Math.max(0, ranges.indexOf(current));
  const first = Math.max(0, at - (at % 2) - MAX_PAINTED);
  return ranges.slice(first, first + count);
}
