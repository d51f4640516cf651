import { create } from "zustand";
import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { LineRef } from "../core/rows/navigate.ts";

/** Lines of one file on one side, both ends included; `from` is where the selection began. */
export interface LineRange {
  readonly path: string;
  readonly side: Side;
  readonly from: number;
  readonly to: number;
}

interface CursorState {
  /** The line the keyboard stands on. */
  readonly cursor: LineRef | undefined;
  readonly range: LineRange | undefined;
  /** The side the person chose last: lines that only the other side has do not change it. */
  readonly preferred: Side;
  /** The file the person looks at. */
  readonly file: string | undefined;
}

/** Where the keyboard stands. */
export const useCursor = create<CursorState>(() => ({
  cursor: undefined,
  range: undefined,
  preferred: "new",
  file: undefined,
}));

/** The first line of a range, whichever way it was drawn. */
export const startOf = (range: LineRange): number => Math.min(range.from, range.to);
/** The last line of a range, whichever way it was drawn. */
export const endOf = (range: LineRange): number => Math.max(range.from, range.to);

/** Moves the keyboard; what was selected is selected no longer. */
export function setCursor(cursor: LineRef | undefined): void {
  useCursor.setState({ cursor, range: undefined });
}

/** The side on which to stand where a row has both. */
export function preferSide(preferred: Side): void {
  useCursor.setState({ preferred });
}

/** What a comment would be made on: the selected lines, else the line the keyboard stands on. */
export function selectedLines(): LineRange | undefined {
  const { cursor, range } = useCursor.getState();
  if (range) return range;
  return cursor && { path: cursor.path, side: cursor.side, from: cursor.number, to: cursor.number };
}

/** Gives the focus to the row the keyboard stands on, so that it is read out; never takes it from a text field. */
export function focusCursor(): void {
  requestAnimationFrame(() => {
    if (document.activeElement?.closest("input, textarea, select, dialog")) return;
    document.querySelector<HTMLElement>(".row-cursor")?.focus({ preventScroll: true });
  });
}
