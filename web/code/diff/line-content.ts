import {
  endsInReturn,
  findHunk,
  type Hunk,
  LINE_ADDED,
  LINE_CONTEXT,
  LINE_REMOVED,
  lineNumber,
  lineText,
  type ParsedPatch,
  type Side,
} from "../../../src/render/diff/patch/parsed-patch.ts";
import { type Segment, shownLength, splitSegments } from "../../../src/render/diff/text/segments.ts";
import type { Tokens } from "../../../src/render/diff/text/tokens.ts";
import { type Ranges, wordChanges, wordChangesOn } from "../../../src/render/diff/text/word-diff.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";
import { nearest, rangesIn } from "../core/text/search.ts";
import { highlightHunk, highlightWholeText } from "../highlight/highlight-lines.ts";

/** Maximum length of a highlighted line in UTF-16 units. Longer lines are usually data. */
const MAX_COLORED_LENGTH = 20_000;

/** The content of a line of code on one side. */
export interface LineContent {
  readonly segments: readonly Segment[];
  /** UTF-16 units omitted at the end. */
  readonly hidden: number;
  /** A notice after the code, for example about a missing newline. */
  readonly notice: string | undefined;
}

/** The search highlights of a line. */
export interface LineSearch {
  readonly pattern: RegExp;
  /** The side and start column of the current match, if it is in this row. */
  readonly current: { readonly side: Side; readonly start: number } | undefined;
}

/** The source of a line: its file, the file's patch, and the lines of the new side if they are loaded. */
interface LineSource {
  readonly file: DiffFile;
  readonly patch: ParsedPatch;
  readonly text: readonly string[] | undefined;
}

/** The text at the other end of a moved line; undefined if the move was not edited or the text is not loaded. */
interface MovedText {
  readonly other: string | undefined;
}

/** Returns the content of a patch line on a side. `whole` disables shortening. */
export function patchLine(
  source: LineSource,
  line: number,
  side: Side,
  search: LineSearch | undefined,
  whole: boolean,
  moved?: MovedText,
): LineContent {
  const { patch } = source;
  const full = lineText(patch, line);
  const text = whole ? full : full.slice(0, shownLength(full));
  const isCut = full.length > text.length;
  const current = currentOn(search, side);
  const marks = {
    ...findHighlight(source, line, side),
    changed: isCut ? [] : changedRanges(patch, line, side, moved),
    found: search ? nearest(rangesIn(text, search.pattern), current) : [],
    current,
  };
  const segments =
    full.length > MAX_COLORED_LENGTH
      ? splitSegments(text, { changed: [], found: marks.found })
      : splitSegments(text, marks);
  return { segments, hidden: full.length - text.length, notice: noticeOn(patch, line) };
}

/**
 * Compares a moved line with the line at its other end, and any other line with the line with which it is
 * paired.
 */
function changedRanges(patch: ParsedPatch, line: number, side: Side, moved: MovedText | undefined): Ranges {
  if (!moved) return wordChangesOn(patch, line, side);
  if (moved.other === undefined) return [];
  const text = lineText(patch, line);
  return side === "old" ? wordChanges(text, moved.other).old : wordChanges(moved.other, text).new;
}

function currentOn(search: LineSearch | undefined, side: Side): number | undefined {
  return search?.current?.side === side ? search.current.start : undefined;
}

/** Returns the content of a line between the hunks, from the text of the new side. */
export function contextLine(
  source: LineSource,
  number: number,
  search: LineSearch | undefined,
  whole: boolean,
): LineContent {
  const lines = source.text ?? [];
  const full = lines[number - 1] ?? "";
  const text = whole ? full : full.slice(0, shownLength(full));
  const tokens = full.length > MAX_COLORED_LENGTH ? undefined : highlightWholeText(lines, source.file.path);
  const found = search ? nearest(rangesIn(text, search.pattern)) : [];
  const segments = splitSegments(text, { tokens, tokenLine: number - 1, changed: [], found });
  return { segments, hidden: full.length - text.length, notice: undefined };
}

/**
 * Returns the highlighting of a line: that of the whole file if possible, because it includes the context before the
 * hunk, or otherwise that of the hunk.
 */
function findHighlight(
  source: LineSource,
  line: number,
  side: Side,
): { tokens: Tokens | undefined; tokenLine: number } {
  const whole = side === "new" && source.text ? highlightWholeText(source.text, source.file.path) : undefined;
  if (whole) return { tokens: whole, tokenLine: lineNumber(source.patch, line, side) - 1 };
  const hunk = findHunk(source.patch, line);
  const tokens = highlightHunk(source.patch, source.file.path, hunk, side);
  return { tokens, tokenLine: lineInHunk(source.patch, line, side, source.patch.hunks[hunk]) };
}

/** Returns the index of a line on its side of a hunk. Lines in the cells of a notebook may have no number. */
function lineInHunk(patch: ParsedPatch, line: number, side: Side, hunk: Hunk | undefined): number {
  if (hunk?.language === undefined)
    return lineNumber(patch, line, side) - ((side === "old" ? hunk?.oldStart : hunk?.newStart) ?? 1);
  const other = side === "old" ? LINE_ADDED : LINE_REMOVED;
  let count = 0;
  for (let at = hunk.first; at < line; at++) if (patch.kind[at] !== other) count++;
  return count;
}

/** Returns the notice after a line's code: a missing newline at the end of the file, or a changed line ending. */
export function noticeOn(patch: ParsedPatch, line: number): string | undefined {
  if (patch.withoutNewline.has(line)) return "No newline at end of file";
  const partner = patch.partner[line] ?? -1;
  if (patch.kind[line] === LINE_CONTEXT || partner < 0) return undefined;
  if (endsInReturn(patch, line) === endsInReturn(patch, partner)) return undefined;
  return endsInReturn(patch, line) ? "ends in CR LF" : "ends in LF";
}
