import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";

/** Pixels. The style sheet uses the same value. */
const LINE_HEIGHT = 26;
/** The rendered range is rounded to this number of lines, so that most scroll events cause no rendering. */
const STEP = 8;

interface FixedListProps<Item> {
  readonly items: readonly Item[];
  /** Renders a line with a key. */
  readonly render: (item: Item) => ReactNode;
  /** Index of the line that is scrolled into view when the index changes; -1 for none. */
  readonly inView: number;
}

/** Renders lines of equal height in a scroller. Only lines near the window are rendered. */
export function FixedList<Item>({ items, render, inView }: FixedListProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  // The list is never taller than the window, so its height need not be measured.
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

/** Scrolls as little as possible to show the line. Waits for the next frame to avoid a forced layout. */
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
