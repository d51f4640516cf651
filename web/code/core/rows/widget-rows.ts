import type { ParsedPatch, Side } from "../../../../src/render/diff/patch/parsed-patch.ts";
import {
  ROW_WIDGET,
  type RowModel,
  shownNumber,
  type Widget,
} from "../../../../src/render/diff/row-model.ts";

/** Where a widget goes: before row `row` of the rows without widgets. */
export interface WidgetPlace {
  readonly row: number;
  /** Index in the list of widgets. */
  readonly widget: number;
}

/**
 * The places of the widgets whose line is shown, from the top down: each under its line, those of line 0 above all,
 * and under the same row those of the old side first.
 */
export function placesOf(rows: RowModel, patch: ParsedPatch, widgets: readonly Widget[]): WidgetPlace[] {
  const placesOn = (side: Side) => {
    const waiting = [...widgets.entries()]
      .filter(([, widget]) => widget.side === side)
      .map(([widget, { line }]) => ({ widget, line }))
      .sort((a, b) => a.line - b.line);
    return onOneSide(waiting, rows, (row) => shownNumber(rows, patch, row, side));
  };
  return [...placesOn("old"), ...placesOn("new")].sort((a, b) => a.row - b.row);
}

/** One pass over the rows: lines are in order, as `waiting` is. */
function onOneSide(
  waiting: readonly { readonly widget: number; readonly line: number }[],
  rows: RowModel,
  numberOf: (row: number) => number,
): WidgetPlace[] {
  const places: WidgetPlace[] = [];
  let next = 0;
  for (let row = -1; row < rows.count && next < waiting.length; row++) {
    const number = row < 0 ? 0 : numberOf(row);
    // A line that was passed over is not shown.
    for (let first = waiting[next]; first && first.line <= number; first = waiting[next]) {
      if (first.line === number) places.push({ row: row + 1, widget: first.widget });
      next++;
    }
  }
  return places;
}

/** The rows with the widgets at their places. The lines' own arrays are copied piece by piece, not made anew. */
export function withWidgets(
  rows: RowModel,
  places: readonly WidgetPlace[],
  widgets: readonly Widget[],
): RowModel {
  const count = rows.count + places.length;
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
  places.forEach(({ row, widget }, index) => {
    copyUpTo(row, index);
    kind[row + index] = ROW_WIDGET;
    left[row + index] = widget;
    right[row + index] = -1;
  });
  copyUpTo(rows.count, places.length);
  return { count, kind, left, right, widgets };
}

/** The tops of all rows and the height of all, from those of the rows without widgets. */
export function withWidgetHeights(
  offsets: Float64Array,
  places: readonly WidgetPlace[],
  heightOf: (widget: number) => number,
): Float64Array {
  const result = new Float64Array(offsets.length + places.length);
  let from = 0;
  let moved = 0;
  const copyUpTo = (to: number, shift: number) => {
    for (let row = from; row < to; row++) result[row + shift] = (offsets[row] ?? 0) + moved;
    from = to;
  };
  places.forEach(({ row, widget }, index) => {
    copyUpTo(row, index);
    result[row + index] = (offsets[row] ?? 0) + moved;
    moved += heightOf(widget);
  });
  copyUpTo(offsets.length, places.length);
  return result;
}
