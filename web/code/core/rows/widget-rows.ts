import type { ParsedPatch, Side } from "../../../../src/render/diff/patch/parsed-patch.ts";
import {
  ROW_WIDGET,
  type RowModel,
  shownNumber,
  type Widget,
} from "../../../../src/render/diff/row-model.ts";

/** The position of a widget: before row `row`, counted without widgets. */
export interface WidgetPosition {
  readonly row: number;
  /** Index in the list of widgets. */
  readonly widget: number;
}

/**
 * Returns the positions of the widgets whose line is shown, in row order. A widget follows its line; line 0 is the
 * top. Below the same row, widgets of the old side come first.
 */
export function widgetPositions(
  rows: RowModel,
  patch: ParsedPatch,
  widgets: readonly Widget[],
): WidgetPosition[] {
  const positionsOn = (side: Side) => {
    const waiting = [...widgets.entries()]
      .filter(([, widget]) => widget.side === side)
      .map(([widget, { line }]) => ({ widget, line }))
      .sort((a, b) => a.line - b.line);
    return onOneSide(waiting, rows, (row) => shownNumber(rows, patch, row, side));
  };
  return [...positionsOn("old"), ...positionsOn("new")].sort((a, b) => a.row - b.row);
}

/** A single pass: rows and `waiting` are both sorted by line. */
function onOneSide(
  waiting: readonly { readonly widget: number; readonly line: number }[],
  rows: RowModel,
  getNumber: (row: number) => number,
): WidgetPosition[] {
  const positions: WidgetPosition[] = [];
  let next = 0;
  for (let row = -1; row < rows.count && next < waiting.length; row++) {
    const number = row < 0 ? 0 : getNumber(row);
    // Skips widgets whose line is not shown.
    for (let first = waiting[next]; first && first.line <= number; first = waiting[next]) {
      if (first.line === number) positions.push({ row: row + 1, widget: first.widget });
      next++;
    }
  }
  return positions;
}

/** Inserts widgets into the rows. Copies the arrays in slices instead of rebuilding them. */
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
