/**
 * One file's patch, kept as the text it came as plus typed arrays that point into it: a diff of fifty thousand
 * lines costs a megabyte, not fifty thousand objects.
 */

export const LINE_CONTEXT = 0;
export const LINE_ADDED = 1;
export const LINE_REMOVED = 2;

/** Which version of the file a line number counts in. */
export type Side = "old" | "new";

export interface Hunk {
  /** Index of its first line in the arrays of the patch. */
  readonly first: number;
  /** Index after its last line. */
  readonly end: number;
  /** Line numbers from 1; a side without lines starts where its lines would stand. */
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  /** What git prints after the second `@@`: the function around the hunk. */
  readonly heading: string;
}

/** All arrays are indexed by line, hunks in order, headers left out. */
export interface ParsedPatch {
  readonly text: string;
  readonly hunks: readonly Hunk[];
  readonly lineCount: number;
  readonly kind: Uint8Array;
  /** Offsets into `text`, in UTF-16 units: after the marker, and before the newline. */
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** Line numbers from 1, 0 where the side does not have the line. */
  readonly oldLine: Uint32Array;
  readonly newLine: Uint32Array;
  /** The line this one was changed into, or from; -1 without one. */
  readonly partner: Int32Array;
  /** Lines followed by "No newline at end of file". */
  readonly withoutNewline: ReadonlySet<number>;
  /** The hunks could not be read to their end: the raw text is shown instead. */
  readonly broken: boolean;
}

/** The line's text as it is shown: without marker and line ending. */
export function lineText(patch: ParsedPatch, line: number): string {
  const start = patch.start[line] ?? 0;
  const end = patch.end[line] ?? 0;
  return patch.text.slice(start, endsInReturn(patch, line) ? end - 1 : end);
}

/** True for a line that ends in CR LF. */
export function endsInReturn(patch: ParsedPatch, line: number): boolean {
  const end = patch.end[line] ?? 0;
  return end > (patch.start[line] ?? 0) && patch.text.charCodeAt(end - 1) === 13;
}

/** The line's number on a side; 0 when the side does not have it. */
export function lineNumber(patch: ParsedPatch, line: number, side: Side): number {
  return (side === "old" ? patch.oldLine[line] : patch.newLine[line]) ?? 0;
}

/** Index of the hunk a line belongs to. Binary search. */
export function hunkOf(patch: ParsedPatch, line: number): number {
  let low = 0;
  let high = patch.hunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((patch.hunks[middle]?.first ?? 0) <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Index of the line with a number on a side, or -1 when no hunk shows it. */
export function findLine(patch: ParsedPatch, side: Side, number: number): number {
  for (const hunk of patch.hunks) {
    const from = side === "old" ? hunk.oldStart : hunk.newStart;
    const count = side === "old" ? hunk.oldCount : hunk.newCount;
    if (number < from || number >= from + count) continue;
    for (let line = hunk.first; line < hunk.end; line++) {
      if (lineNumber(patch, line, side) === number) return line;
    }
  }
  return -1;
}

/** By how much a line outside the hunks stands further down on the new side. `number` is its number on `side`. */
export function shiftAt(patch: ParsedPatch, side: Side, number: number): number {
  let shift = 0;
  for (const { oldStart, oldCount, newStart, newCount } of patch.hunks) {
    if ((side === "old" ? oldStart : newStart) > number) break;
    shift = newStart + newCount - (oldStart + oldCount);
  }
  return shift;
}

/** One side of a hunk as a text, for the highlighter; its first line is that side's first. */
export function hunkText(patch: ParsedPatch, hunk: number, side: Side): string {
  const { first, end } = patch.hunks[hunk] ?? { first: 0, end: 0 };
  const other = side === "old" ? LINE_ADDED : LINE_REMOVED;
  const lines: string[] = [];
  for (let line = first; line < end; line++) {
    if (patch.kind[line] !== other) lines.push(lineText(patch, line));
  }
  return lines.join("\n");
}
