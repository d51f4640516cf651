import { create } from "zustand";
import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { LineRef } from "../core/rows/navigate.ts";

/**
 * Lines of one file on one side, both ends inclusive. The selection began at `from`, which may be after `to`.
 */
export interface LineRange {
  readonly path: string;
  readonly side: Side;
  readonly from: number;
  readonly to: number;
}

interface CursorState {
  readonly cursor: LineRef | undefined;
  readonly range: LineRange | undefined;
  /**
   * The side that the person chose last. Moving to a line that exists only on the other side does not change
   * it.
   */
  readonly preferred: Side;
  /** Path of the file to which the person last moved, or of the file at the top of the window. */
  readonly file: string | undefined;
}

/** The keyboard cursor and the selected lines. */
export const useCursor = create<CursorState>(() => ({
  cursor: undefined,
  range: undefined,
  preferred: "new",
  file: undefined,
}));

/** Returns the first line of a range, regardless of the direction of the selection. */
export const getStart = (range: LineRange): number => Math.min(range.from, range.to);
/** Returns the last line of a range, regardless of the direction of the selection. */
export const getLastLine = (range: LineRange): number => Math.max(range.from, range.to);

/** Moves the cursor and clears the selection. */
export function setCursor(cursor: LineRef | undefined): void {
  useCursor.setState({ cursor, range: undefined });
}

/** Sets the preferred side for rows with a line on both sides. */
export function preferSide(preferred: Side): void {
  useCursor.setState({ preferred });
}

/**
 * Returns the lines for a new comment: the selected lines, or the line of the cursor if no lines are
 * selected.
 */
export function selectedLines(): LineRange | undefined {
  const { cursor, range } = useCursor.getState();
  if (range) return range;
  return cursor && { path: cursor.path, side: cursor.side, from: cursor.number, to: cursor.number };
}

/** Focuses the row of the cursor, so that screen readers announce it. Takes no focus from a field or a dialog. */
export function focusCursor(): void {
  requestAnimationFrame(() => {
    if (document.activeElement?.closest("input, textarea, select, dialog")) return;
    document.querySelector<HTMLElement>(".row-cursor")?.focus({ preventScroll: true });
  });
}
