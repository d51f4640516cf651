import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";

/** Pixels; the style sheet has the same number. */
const LINE_HEIGHT = 26;
/** Lines come and go in steps, so that most movements change nothing. */
const STEP = 8;

interface FixedListProps<Item> {
  readonly items: readonly Item[];
  /** What a line shows; carries its key. */
  readonly render: (item: Item) => ReactNode;
  /** Position of the line that is to be in view whenever it becomes another; -1 for none. */
  readonly inView: number;
}

/** Lines of one height in a scroller of their own; only those near the window exist as elements. */
export function FixedList<Item>({ items, render, inView }: FixedListProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  // No list is higher than the window, so that nothing has to be measured.
  const windowHeight = useSyncExternalStore(onResize, () => window.innerHeight);
  useKeptInView(scroller, inView);
  const last = first + Math.ceil(windowHeight / LINE_HEIGHT) + STEP * 2;
  return (
    <div
      ref={scroller}
      className="tree-list"
      onScroll={({ currentTarget }) => setFirst(firstAt(currentTarget.scrollTop))}
    >
      <div
        className="tree-lines"
        style={{ height: items.length * LINE_HEIGHT, paddingTop: first * LINE_HEIGHT }}
      >
        {items.slice(first, last).map(render)}
      </div>
    </div>
  );
}

function firstAt(scrollTop: number): number {
  const line = Math.floor(scrollTop / LINE_HEIGHT);
  return Math.max(0, line - (line % STEP) - STEP);
}

function onResize(listener: () => void): () => void {
  addEventListener("resize", listener);
  return () => removeEventListener("resize", listener);
}

/** Scrolls no further than it must; with the next frame, when where things stand is known anyway. */
function useKeptInView(scroller: React.RefObject<HTMLDivElement | null>, line: number): void {
  useEffect(() => {
    if (line < 0) return;
    const frame = requestAnimationFrame(() => {
      const element = scroller.current;
      if (!element) return;
      const top = line * LINE_HEIGHT;
      const lowest = top + LINE_HEIGHT - element.clientHeight;
      element.scrollTop = Math.min(top, Math.max(lowest, element.scrollTop));
    });
    return () => cancelAnimationFrame(frame);
  }, [scroller, line]);
}
