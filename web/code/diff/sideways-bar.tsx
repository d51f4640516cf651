import { type RefObject, useEffect, useRef, useState } from "react";
import type { DiffController } from "./controller.ts";

interface SidewaysBarProps {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly controller: DiffController;
}

/**
 * Renders a scroll bar that scrolls all unwrapped code horizontally. A wheel or trackpad scrolls the code
 * too. Headers and line numbers do not move.
 */
export function SidewaysBar({ scroller, controller }: SidewaysBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const [excess, setExcess] = useState(0);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let frame = 0;
    const measure = () => {
      cancelAnimationFrame(frame);
      // Keeps the maximum, so that the bar does not shrink under the pointer.
      frame = requestAnimationFrame(() => setExcess((known) => Math.max(known, excessIn(element))));
    };
    const onWheel = (event: WheelEvent) => {
      const delta = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (delta === 0 || !bar.current) return;
      event.preventDefault();
      bar.current.scrollLeft += delta;
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    const stop = controller.subscribe(measure);
    measure();
    return () => {
      stop();
      cancelAnimationFrame(frame);
      element.removeEventListener("wheel", onWheel);
      element.style.removeProperty("--sideways");
    };
  }, [scroller, controller]);
  const move = () =>
    scroller.current?.style.setProperty("--sideways", `${-(bar.current?.scrollLeft ?? 0)}px`);
  return (
    <section
      ref={bar}
      className="sideways-bar"
      aria-label="Long lines, sideways"
      hidden={excess === 0}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll what has the focus
      tabIndex={0}
      data-arrow-keys
      onScroll={move}
    >
      <div style={{ width: `calc(100% + ${excess}px)` }} />
    </section>
  );
}

/** Returns the pixels by which the longest rendered line exceeds its column, plus a margin; 0 if all lines fit. */
function excessIn(element: HTMLElement): number {
  const widths = [...element.querySelectorAll(".code-text")].map(
    (code) => code.scrollWidth - code.clientWidth,
  );
  const widest = Math.max(0, ...widths);
  return widest === 0 ? 0 : widest + 24;
}
