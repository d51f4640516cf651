import {
  LINE_ADDED,
  LINE_CONTEXT,
  LINE_REMOVED,
  lineNumber,
  type ParsedPatch,
  type Side,
} from "./patch/parsed-patch.ts";

/** One patch line, or a pair of lines side by side. `left` and `right` are line indexes, or -1. */
export const ROW_LINE = 0;
/** A line outside the hunks, shown on request. `left` and `right` are line numbers. */
export const ROW_CONTEXT = 1;
/** The lines omitted before, between or after the hunks. `left` is the gap's index. */
export const ROW_GAP = 2;
/** An element that the page inserts between lines, such as a comment. `left` is the index in `widgets`. */
export const ROW_WIDGET = 3;
/** A message instead of lines, for a patch that has no lines or cannot be parsed. */
const ROW_NOTICE = 4;
/** A row of a notebook that is not a line, such as a cell's header. `left` is the index in the notebook's blocks. */
export const ROW_BLOCK = 5;

export type Layout = "split" | "unified";

/** The number of shown lines of a gap: after the hunk above it, and before the hunk below it. */
export interface Expansion {
  readonly above: number;
  readonly below: number;
}

/** An element between lines. `line` 0 is above the file's first row. */
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
  /** The number of lines of the new version, once the whole file is known. */
  readonly newLineCount?: number | undefined;
  /** Whether the patch contains every line of both versions, as for an added or deleted file. Such a patch has no gaps. */
  readonly complete: boolean;
  /** Whether a message replaces the lines. */
  readonly notice?: boolean;
}

/**
 * A range of unchanged lines outside the hunks. Line numbers from 1. `newEnd` is exclusive, and undefined if the file's
 * length is unknown.
 */
export interface Gap {
  readonly oldStart: number;
  readonly newStart: number;
  readonly newEnd: number | undefined;
}

const EXPANDED_NOTHING: Expansion = { above: 0, below: 0 };
/**
 * Git's default number of context lines. If fewer context lines follow the last change of a patch, the patch reaches
 * the end of the file.
 */
const CONTEXT_LINES = 3;

/** Returns the number of the line that a row shows on a side, or 0 if it shows none. */
export function shownNumber(rows: RowModel, patch: ParsedPatch, row: number, side: Side): number {
  const index = (side === "old" ? rows.left[row] : rows.right[row]) ?? -1;
  if (index < 0) return 0;
  if (rows.kind[row] === ROW_CONTEXT) return index;
  return rows.kind[row] === ROW_LINE ? lineNumber(patch, index, side) : 0;
}

/**
 * Returns the gap before each hunk and the one after the last; undefined for a gap without lines. Returns an empty
 * array if the patch is complete or has no hunks.
 */
export function computeGaps(
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

/** Arranges a file's lines and gaps as rows. The page adds its own elements with `withWidgets`. */
export function buildRows(patch: ParsedPatch, options: RowOptions): RowModel {
  const gaps = computeGaps(patch, options.newLineCount, options.complete);
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
  // The end of the file is known only with its text, and without the text no lines can be shown.
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
