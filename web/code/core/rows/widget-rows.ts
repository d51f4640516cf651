import type { ParsedPatch, Side } from "../../../../src/render/diff/patch/parsed-patch.ts";
import {
  ROW_WIDGET,
  type RowModel,
  shownNumber,
  type Widget,
} from "../../../../src/render/diff/row-model.ts";

/** The position of a widget: before the row with the index `row`, counted without widgets. */
export interface WidgetPosition {
  readonly row: number;
  /** Index in the list of widgets. */
  readonly widget: number;
}

/**
 * Returns the positions of the widgets whose line is shown, in row order. A widget follows its line; line 0
 * stands for the top of the file. Below the same row, widgets of the old side come first.
 */
export function widgetPositions(
  rows: RowModel,
  patch: ParsedPatch,
  widgets: readonly Widget[],
): WidgetPosition[] {
  const positionsOn = (side: Side) => {
    const waiting = new Map<number, number[]>();
    for (const [index, widget] of widgets.entries()) {
      if (widget.side !== side) continue;
      const here = waiting.get(widget.line);
      if (here) here.push(index);
      else waiting.set(widget.line, [index]);
    }
    return onOneSide(waiting, rows, (row) => shownNumber(rows, patch, row, side));
  };
  return [...positionsOn("old"), ...positionsOn("new")].sort((a, b) => a.row - b.row);
}

/**
 * Returns the positions of widgets on one side. Searches in one pass over all rows, because lines of moved
 * cells of a notebook are not in ascending order.
 */
function onOneSide(
  waiting: Map<number, number[]>,
  rows: RowModel,
  getNumber: (row: number) => number,
): WidgetPosition[] {
  const positions: WidgetPosition[] = [];
  for (let row = -1; row < rows.count && waiting.size > 0; row++) {
    const number = row < 0 ? 0 : getNumber(row);
    const here = row < 0 || number > 0 ? waiting.get(number) : undefined;
    if (!here) continue;
    waiting.delete(number);
    for (const widget of here) positions.push({ row: row + 1, widget });
  }
  return positions;
}

/** Inserts widgets into the rows. */
export function withWidgets(
  rows: RowModel,
  positions: readonly WidgetPosition[],
  widgets: readonly Widget[],
): RowModel {
  const count = rows.count + positions.length;
  const kind = new Uint8Array(count);
  const left = new Int32Array(count);
  const right = new Int32Array(count);
  let from = 0;
  const copyUpTo = (to: number, shift: number) => {
    kind.set(rows.kind.subarray(from, to), from + shift);
    left.set(rows.left.subarray(from, to), from + shift);
    right.set(rows.right.subarray(from, to), from + shift);
    from = to;
  };
  positions.forEach(({ row, widget }, index) => {
    copyUpTo(row, index);
    kind[row + index] = ROW_WIDGET;
    left[row + index] = widget;
    right[row + index] = -1;
  });
  copyUpTo(rows.count, positions.length);
  return { count, kind, left, right, widgets };
}

/** Returns the offsets of all rows and the total height, from the offsets without widgets. */
export function withWidgetHeights(
  offsets: Float64Array,
  positions: readonly WidgetPosition[],
  getHeight: (widget: number) => number,
): Float64Array {
  const result = new Float64Array(offsets.length + positions.length);
  let from = 0;
  let moved = 0;
  const copyUpTo = (to: number, shift: number) => {
    for (let row = from; row < to; row++) result[row + shift] = (offsets[row] ?? 0) + moved;
    from = to;
  };
  positions.forEach(({ row, widget }, index) => {
    copyUpTo(row, index);
    result[row + index] = (offsets[row] ?? 0) + moved;
    moved += getHeight(widget);
  });
  copyUpTo(offsets.length, positions.length);
  return result;
}
