import { commentOnLines } from "../comments/start.ts";
import type { Side } from "../core/parsed-patch.ts";
import { type LineRange, preferSide, setCursor, useCursor } from "../state/cursor.ts";

/** Pixels from the window's edge where a drag scrolls, and by how much in a frame. */
const EDGE = 36;
const EDGE_STEP = 14;

/**
 * One set of pointer handlers for all lines: pressing on a number begins a selection on that side, moving extends
 * it, letting go anywhere opens a comment. Shift extends from the line before.
 */
export function followPointer(scroller: HTMLElement): () => void {
  let drag: { readonly pointer: number; y: number; x: number; frame: number } | undefined;

  const extendTo = (x: number, y: number) => {
    const { range } = useCursor.getState();
    const line = range && lineUnder(scroller, x, y, range);
    if (range && line !== undefined && line !== range.to)
      useCursor.setState({ range: { ...range, to: line } });
  };

  const edge = () => {
    if (!drag) return;
    const box = scroller.getBoundingClientRect();
    const step = drag.y < box.top + EDGE ? -EDGE_STEP : drag.y > box.bottom - EDGE ? EDGE_STEP : 0;
    if (step !== 0) {
      scroller.scrollTop += step;
      extendTo(drag.x, Math.min(box.bottom - EDGE, Math.max(box.top + EDGE, drag.y)));
    }
    drag.frame = requestAnimationFrame(edge);
  };

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    keepSelectionOnOneSide(scroller, event.target);
    const started = rangeFrom(event.target, event.shiftKey);
    if (!started) return;
    event.preventDefault();
    preferSide(started.side);
    useCursor.setState({
      range: started,
      cursor: { path: started.path, side: started.side, number: started.to },
    });
    drag = {
      pointer: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      frame: requestAnimationFrame(edge),
    };
  };

  const onMove = (event: PointerEvent) => {
    if (drag?.pointer !== event.pointerId) return;
    drag.x = event.clientX;
    drag.y = event.clientY;
    extendTo(event.clientX, event.clientY);
  };

  const onUp = (event: PointerEvent) => {
    if (drag?.pointer !== event.pointerId) return;
    cancelAnimationFrame(drag.frame);
    drag = undefined;
    const { range } = useCursor.getState();
    if (range && event.type === "pointerup") commentOnLines(range, "comment");
  };

  const onClick = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || !event.target.closest(".code")) return;
    if (String(getSelection()) !== "") return;
    const line = lineOf(event.target);
    if (!line) return;
    preferSide(line.side);
    setCursor({ path: line.path, side: line.side, number: line.to });
  };

  scroller.addEventListener("pointerdown", onDown);
  scroller.addEventListener("click", onClick);
  addEventListener("pointermove", onMove);
  addEventListener("pointerup", onUp);
  addEventListener("pointercancel", onUp);
  return () => {
    if (drag) cancelAnimationFrame(drag.frame);
    scroller.removeEventListener("pointerdown", onDown);
    scroller.removeEventListener("click", onClick);
    removeEventListener("pointermove", onMove);
    removeEventListener("pointerup", onUp);
    removeEventListener("pointercancel", onUp);
  };
}

function rangeFrom(target: Element, extend: boolean): LineRange | undefined {
  const number = target.closest<HTMLElement>(".num[data-line]");
  const line = number && lineOf(number);
  if (!line) return undefined;
  const { cursor } = useCursor.getState();
  const isSame = extend && cursor?.path === line.path && cursor.side === line.side;
  return isSame ? { ...line, from: cursor.number } : line;
}

/** The line an element belongs to, as a range of one. */
function lineOf(element: Element): LineRange | undefined {
  const path = element.closest<HTMLElement>("[data-path]")?.dataset["path"];
  const cell = element.closest<HTMLElement>("[data-side]");
  const side = cell?.dataset["side"] as Side | undefined;
  const number = cell?.closest(".row")?.querySelector<HTMLElement>(`.num[data-side="${side}"][data-line]`);
  const line = Number(number?.dataset["line"] ?? 0);
  return path !== undefined && side && line > 0 ? { path, side, from: line, to: line } : undefined;
}

/** The line of the selection's own file and side at a point, whatever column the pointer is in. */
function lineUnder(scroller: HTMLElement, x: number, y: number, range: LineRange): number | undefined {
  const box = scroller.getBoundingClientRect();
  const inside = Math.min(box.right - 4, Math.max(box.left + 4, x));
  const row = document.elementFromPoint(inside, y)?.closest(".row");
  if (row?.closest<HTMLElement>("[data-path]")?.dataset["path"] !== range.path) return undefined;
  const number = row?.querySelector<HTMLElement>(`.num[data-side="${range.side}"][data-line]`);
  return number ? Number(number.dataset["line"]) : undefined;
}

/** Selecting text begins in one column and must not take the other along. */
function keepSelectionOnOneSide(scroller: HTMLElement, target: Element): void {
  const side = target.closest<HTMLElement>(".code")?.dataset["side"];
  if (side) scroller.dataset["selecting"] = side;
  else delete scroller.dataset["selecting"];
}
