/**
 * One file's patch, kept as its text and as typed arrays with one element per line: for fifty thousand lines, the
 * arrays take a megabyte and replace fifty thousand objects.
 */

export const LINE_CONTEXT = 0;
export const LINE_ADDED = 1;
export const LINE_REMOVED = 2;

/** The version of the file that a line number refers to. */
export type Side = "old" | "new";

export interface Hunk {
  /** Index of the hunk's first line in the arrays of the patch. */
  readonly first: number;
  /** Index after its last line. */
  readonly end: number;
  /** Line numbers from 1. On a side without lines, the number that its first line would have. */
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  /** The text after the second `@@`: the function around the hunk. */
  readonly heading: string;
  /** The highlighter's name for the language, if it is not that of the file. */
  readonly language?: string | undefined;
}

/** A parsed patch. The typed arrays are indexed by line, in the order of the hunks, without headers. */
export interface ParsedPatch {
  readonly text: string;
  readonly hunks: readonly Hunk[];
  readonly lineCount: number;
  readonly kind: Uint8Array;
  /** Offsets into `text`, in UTF-16 units: after the marker, and before the newline. */
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** Line numbers from 1; 0 if the side does not have the line. */
  readonly oldLine: Uint32Array;
  readonly newLine: Uint32Array;
  /** The index of the removed or added line that this line is paired with, or -1. */
  readonly partner: Int32Array;
  /** Indexes of the lines that are followed by "No newline at end of file". */
  readonly withoutNewline: ReadonlySet<number>;
  /** Whether the patch could not be parsed completely. The raw text is then shown instead. */
  readonly broken: boolean;
}

/** Returns the line's text without marker and line ending. */
export function lineText(patch: ParsedPatch, line: number): string {
  const start = patch.start[line] ?? 0;
  const end = patch.end[line] ?? 0;
  return patch.text.slice(start, endsInReturn(patch, line) ? end - 1 : end);
}

/** Reports whether a line ends in CR LF. */
export function endsInReturn(patch: ParsedPatch, line: number): boolean {
  const end = patch.end[line] ?? 0;
  return end > (patch.start[line] ?? 0) && patch.text.charCodeAt(end - 1) === 13;
}

/** Returns the line's number on a side, or 0 if the side does not have it. */
export function lineNumber(patch: ParsedPatch, line: number, side: Side): number {
  return (side === "old" ? patch.oldLine[line] : patch.newLine[line]) ?? 0;
}

/** Returns the index of the hunk that contains a line. */
export function findHunk(patch: ParsedPatch, line: number): number {
  let low = 0;
  let high = patch.hunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((patch.hunks[middle]?.first ?? 0) <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the index of the line with this number on a side, or -1 if it is in no hunk. */
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

/**
 * Returns the difference between the new and the old number of a line outside the hunks. `number` is its number on
 * `side`.
 */
export function shiftAt(patch: ParsedPatch, side: Side, number: number): number {
  let shift = 0;
  for (const { oldStart, oldCount, newStart, newCount } of patch.hunks) {
    if ((side === "old" ? oldStart : newStart) > number) break;
    shift = newStart + newCount - (oldStart + oldCount);
  }
  return shift;
}

/** Returns the text of one side of a hunk for the highlighter, beginning with that side's first line. */
export function hunkText(patch: ParsedPatch, hunk: number, side: Side): string {
  const { first, end } = patch.hunks[hunk] ?? { first: 0, end: 0 };
  const other = side === "old" ? LINE_ADDED : LINE_REMOVED;
  const lines: string[] = [];
  for (let line = first; line < end; line++) {
    if (patch.kind[line] !== other) lines.push(lineText(patch, line));
  }
  return lines.join("\n");
}
