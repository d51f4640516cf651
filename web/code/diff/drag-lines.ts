import { toLineRange } from "../comments/selected-lines.ts";
import { commentOnLines } from "../comments/start.ts";
import { type LineRange, preferSide, setCursor, useCursor } from "../state/cursor.ts";

/** Distance in pixels from the scroller's edge at which a drag scrolls, and the pixels it scrolls per frame. */
const EDGE = 36;
const EDGE_STEP = 14;

/**
 * Selects lines with the pointer: pressing on a line number starts a selection on that side, moving extends it, and
 * releasing opens a comment. Shift extends from the cursor. A click on code moves the cursor there. Returns a function
 * that removes the handlers.
 */
export function followPointer(scroller: HTMLElement): () => void {
  const drag = new LineDrag(scroller);
  const onDown = (event: PointerEvent) => drag.begin(event);
  const onMove = (event: PointerEvent) => drag.move(event);
  const onUp = (event: PointerEvent) => drag.end(event);
  scroller.addEventListener("pointerdown", onDown);
  scroller.addEventListener("click", goToClickedLine);
  addEventListener("pointermove", onMove);
  addEventListener("pointerup", onUp);
  addEventListener("pointercancel", onUp);
  return () => {
    drag.stop();
    scroller.removeEventListener("pointerdown", onDown);
    scroller.removeEventListener("click", goToClickedLine);
    removeEventListener("pointermove", onMove);
    removeEventListener("pointerup", onUp);
    removeEventListener("pointercancel", onUp);
  };
}

interface Drag {
  readonly pointer: number;
  /** The scroller's position when the pointer was pressed. */
  readonly scrollTop: number;
  x: number;
  y: number;
  frame: number;
}

/** Tracks the pointer while it is pressed on a line number. */
class LineDrag {
  private readonly scroller: HTMLElement;
  private drag: Drag | undefined;

  constructor(scroller: HTMLElement) {
    this.scroller = scroller;
  }

  begin(event: PointerEvent): void {
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    keepSelectionOnOneSide(this.scroller, event.target);
    const range = rangeFrom(event.target, event.shiftKey);
    if (!range) return;
    event.preventDefault();
    preferSide(range.side);
    useCursor.setState({ range, cursor: { path: range.path, side: range.side, number: range.to } });
    this.drag = {
      pointer: event.pointerId,
      scrollTop: this.scroller.scrollTop,
      x: event.clientX,
      y: event.clientY,
      frame: requestAnimationFrame(this.followScrolling),
    };
  }

  move({ pointerId, clientX, clientY }: PointerEvent): void {
    if (this.drag?.pointer !== pointerId) return;
    this.drag.x = clientX;
    this.drag.y = clientY;
    this.extendTo(clientX, clientY);
  }

  end({ pointerId, type }: PointerEvent): void {
    if (this.drag?.pointer !== pointerId) return;
    this.extendIfScrolled(this.drag);
    this.stop();
    const { range } = useCursor.getState();
    if (range && type === "pointerup") commentOnLines(range, "comment");
  }

  stop(): void {
    if (this.drag) cancelAnimationFrame(this.drag.frame);
    this.drag = undefined;
  }

  private extendTo(x: number, y: number): void {
    const { range } = useCursor.getState();
    const line = range && lineUnder(this.scroller, x, y, range);
    if (range && line !== undefined && line !== range.to)
      useCursor.setState({ range: { ...range, to: line } });
  }

  /**
   * Extends the range to the line under the pointer after a scroll, because a pointer that does not move
   * sends no events.
   */
  private extendIfScrolled({ x, y, scrollTop }: Drag): void {
    if (this.scroller.scrollTop === scrollTop) return;
    const { top, bottom } = this.scroller.getBoundingClientRect();
    this.extendTo(x, Math.min(bottom - EDGE, Math.max(top + EDGE, y)));
  }

  /** Runs in every frame of a drag, and scrolls if the pointer is at the edge. */
  private readonly followScrolling = (): void => {
    const drag = this.drag;
    if (!drag) return;
    const { top, bottom } = this.scroller.getBoundingClientRect();
    const step = drag.y < top + EDGE ? -EDGE_STEP : drag.y > bottom - EDGE ? EDGE_STEP : 0;
    if (step !== 0) this.scroller.scrollTop += step;
    this.extendIfScrolled(drag);
    drag.frame = requestAnimationFrame(this.followScrolling);
  };
}

/** Moves the cursor to the clicked line, unless the click ended a text selection. */
function goToClickedLine({ target }: MouseEvent): void {
  if (!(target instanceof Element) || !target.closest(".code")) return;
  if (String(getSelection()) !== "") return;
  const line = toLineRange(target);
  if (!line) return;
  preferSide(line.side);
  setCursor({ path: line.path, side: line.side, number: line.to });
}

function rangeFrom(target: Element, extend: boolean): LineRange | undefined {
  const number = target.closest<HTMLElement>(".num[data-line]");
  const line = number && toLineRange(number);
  if (!line) return undefined;
  const { cursor } = useCursor.getState();
  const isSame = extend && cursor?.path === line.path && cursor.side === line.side;
  return isSame ? { ...line, from: cursor.number } : line;
}

/**
 * Returns the line at a point, in the file and on the side of the selection, regardless of the pointer's
 * column.
 */
function lineUnder(scroller: HTMLElement, x: number, y: number, range: LineRange): number | undefined {
  const box = scroller.getBoundingClientRect();
  const inside = Math.min(box.right - 4, Math.max(box.left + 4, x));
  const row = document.elementFromPoint(inside, y)?.closest(".row");
  if (row?.closest<HTMLElement>("[data-path]")?.dataset["path"] !== range.path) return undefined;
  const number = row?.querySelector<HTMLElement>(`.num[data-side="${range.side}"][data-line]`);
  return number ? Number(number.dataset["line"]) : undefined;
}

/** Limits a text selection to the column where it starts. */
function keepSelectionOnOneSide(scroller: HTMLElement, target: Element): void {
  const side = target.closest<HTMLElement>(".code")?.dataset["side"];
  if (side) scroller.dataset["selecting"] = side;
  else delete scroller.dataset["selecting"];
}
