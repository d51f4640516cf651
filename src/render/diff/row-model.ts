import {
  LINE_ADDED,
  LINE_CONTEXT,
  LINE_REMOVED,
  lineNumber,
  type ParsedPatch,
  type Side,
} from "./patch/parsed-patch.ts";

/** One patch line, or a pair of them side by side. `left` and `right` are line indices, -1 for none. */
export const ROW_LINE = 0;
/** A line outside the hunks, shown on request. `left` and `right` are line numbers. */
export const ROW_CONTEXT = 1;
/** What is left out between two hunks. `left` is the gap's index. */
export const ROW_GAP = 2;
/** Something the page puts between lines, such as a comment. `left` is the index in `widgets`. */
export const ROW_WIDGET = 3;
/** A sentence in place of lines: binary, renamed only, too large. */
const ROW_NOTICE = 4;

export type Layout = "split" | "unified";

/** How many lines of a gap are shown: after the hunk above it, and before the hunk below. */
export interface Expansion {
  readonly above: number;
  readonly below: number;
}

/** `line` 0 stands above the file's first row. */
export interface Widget {
  readonly key: string;
  readonly side: Side;
  readonly line: number;
}

export interface RowModel {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly widgets: readonly Widget[];
}

export interface RowOptions {
  readonly layout: Layout;
  readonly expansions: ReadonlyMap<number, Expansion>;
  /** Lines of the new version, once the whole file is known. */
  readonly newLineCount?: number | undefined;
  /** Both versions lie wholly in the patch: an added or a deleted file has no gaps. */
  readonly complete: boolean;
  /** A sentence stands in place of the lines. */
  readonly notice?: boolean;
}

/** A stretch of unchanged lines no hunk shows. Numbers from 1, `newEnd` exclusive; open at the end of the file. */
export interface Gap {
  readonly oldStart: number;
  readonly newStart: number;
  readonly newEnd: number | undefined;
}

const EXPANDED_NOTHING: Expansion = { above: 0, below: 0 };
/** git's own number of context lines: fewer after the last hunk mean that the file ends there. */
const CONTEXT_LINES = 3;

/** The number of the line that a row shows on a side; 0 when it shows none. */
export function shownNumber(rows: RowModel, patch: ParsedPatch, row: number, side: Side): number {
  const index = (side === "old" ? rows.left[row] : rows.right[row]) ?? -1;
  if (index < 0) return 0;
  if (rows.kind[row] === ROW_CONTEXT) return index;
  return rows.kind[row] === ROW_LINE ? lineNumber(patch, index, side) : 0;
}

/** The gap before each hunk, and one after the last; a gap without lines is undefined. */
export function gapsOf(
  patch: ParsedPatch,
  newLineCount: number | undefined,
  complete: boolean,
): (Gap | undefined)[] {
  if (complete || patch.hunks.length === 0) return [];
  const gaps: (Gap | undefined)[] = [];
  let oldStart = 1;
  let newStart = 1;
  for (const hunk of patch.hunks) {
    gaps.push(hunk.newStart > newStart ? { oldStart, newStart, newEnd: hunk.newStart } : undefined);
    oldStart = hunk.oldStart + hunk.oldCount;
    newStart = hunk.newStart + hunk.newCount;
  }
  const newEnd = newLineCount === undefined ? undefined : newLineCount + 1;
  const ended = newEnd === undefined ? endsWithLastHunk(patch) : newEnd <= newStart;
  gaps.push(ended ? undefined : { oldStart, newStart, newEnd });
  return gaps;
}

function endsWithLastHunk(patch: ParsedPatch): boolean {
  for (let back = 1; back <= CONTEXT_LINES; back++) {
    if (patch.kind[patch.lineCount - back] !== LINE_CONTEXT) return true;
  }
  return patch.withoutNewline.has(patch.lineCount - 1);
}

/** Lays a file's lines and gaps out as rows; `withWidgets` puts the page's own things between them. */
export function buildRows(patch: ParsedPatch, options: RowOptions): RowModel {
  const gaps = gapsOf(patch, options.newLineCount, options.complete);
  const rows = new Rows(capacityFor(patch, gaps, options));
  if (options.notice) {
    rows.add(ROW_NOTICE, -1, -1);
    return rows.finish();
  }
  patch.hunks.forEach((hunk, index) => {
    addGap(rows, gaps[index], index, options.expansions.get(index) ?? EXPANDED_NOTHING);
    if (options.layout === "split") addSplitHunk(rows, patch, hunk.first, hunk.end);
    else addUnifiedHunk(rows, patch, hunk.first, hunk.end);
  });
  const last = patch.hunks.length;
  addGap(rows, gaps[last], last, options.expansions.get(last) ?? EXPANDED_NOTHING);
  return rows.finish();
}

function capacityFor(patch: ParsedPatch, gaps: readonly (Gap | undefined)[], options: RowOptions): number {
  let lines = 1 + patch.lineCount + gaps.length;
  for (const [index, { above, below }] of options.expansions) {
    const gap = gaps[index];
    if (gap?.newEnd !== undefined) lines += Math.min(above + below, gap.newEnd - gap.newStart);
  }
  return lines;
}

function addGap(rows: Rows, gap: Gap | undefined, index: number, shown: Expansion): void {
  if (gap === undefined) return;
  // Where the file ends is known only with its text, and without that there is nothing to show.
  if (gap.newEnd === undefined) {
    rows.add(ROW_GAP, index, -1);
    return;
  }
  const length = gap.newEnd - gap.newStart;
  const above = Math.min(shown.above, length);
  const below = Math.min(shown.below, length - above);
  for (let line = 0; line < above; line++) rows.add(ROW_CONTEXT, gap.oldStart + line, gap.newStart + line);
  if (above + below < length) rows.add(ROW_GAP, index, -1);
  for (let line = length - below; line < length; line++)
    rows.add(ROW_CONTEXT, gap.oldStart + line, gap.newStart + line);
}

function addUnifiedHunk(rows: Rows, patch: ParsedPatch, first: number, end: number): void {
  for (let line = first; line < end; line++) {
    const kind = patch.kind[line];
    rows.add(ROW_LINE, kind === LINE_ADDED ? -1 : line, kind === LINE_REMOVED ? -1 : line);
  }
}

function addSplitHunk(rows: Rows, patch: ParsedPatch, first: number, end: number): void {
  let line = first;
  while (line < end) {
    if (patch.kind[line] === LINE_CONTEXT) {
      rows.add(ROW_LINE, line, line);
      line++;
      continue;
    }
    const removed = line;
    while (line < end && patch.kind[line] === LINE_REMOVED) line++;
    const added = line;
    while (line < end && patch.kind[line] === LINE_ADDED) line++;
    const height = Math.max(added - removed, line - added);
    for (let step = 0; step < height; step++) {
      rows.add(
        ROW_LINE,
        removed + step < added ? removed + step : -1,
        added + step < line ? added + step : -1,
      );
    }
  }
}

/** Collects rows. */
class Rows {
  private readonly kind: Uint8Array;
  private readonly left: Int32Array;
  private readonly right: Int32Array;
  private count = 0;

  constructor(capacity: number) {
    this.kind = new Uint8Array(capacity);
    this.left = new Int32Array(capacity);
    this.right = new Int32Array(capacity);
  }

  add(kind: number, left: number, right: number): void {
    this.kind[this.count] = kind;
    this.left[this.count] = left;
    this.right[this.count] = right;
    this.count++;
  }

  finish(): RowModel {
    return {
      count: this.count,
      kind: this.kind.subarray(0, this.count),
      left: this.left.subarray(0, this.count),
      right: this.right.subarray(0, this.count),
      widgets: [],
    };
  }
}
