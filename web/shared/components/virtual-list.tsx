import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { classNames } from "../../../src/render/class-names.ts";

/** Estimated height, in pixels, of an item that was not rendered yet. */
const ESTIMATE = 120;
/** Pixels above and below the window in which items are rendered. */
const OVERSCAN = 600;
/** Pixels at the top of a scroller that a heading may cover. */
const COVERED = 80;

/** Attributes of an item's `<li>`: its id, and for assistive technology its position in the whole list. */
export interface ListItem {
  readonly "data-item": string;
  readonly "aria-setsize": number;
  readonly "aria-posinset": number;
}

interface VirtualListProps<Item extends { readonly id: string }> {
  readonly className: string;
  readonly items: readonly Item[];
  /** Id of the active item, which is scrolled into view when it becomes active. */
  readonly activeId: string | undefined;
  /**
   * A list of up to this number of items is rendered as a whole, so that the browser's search finds every
   * item.
   */
  readonly renderAllUpTo?: number;
  /** Renders an item as `<li key {...item}>`. */
  readonly render: (item: Item, attributes: ListItem) => ReactNode;
}

/**
 * Lists items of different heights. In a list of more than `renderAllUpTo` items, renders only those near the window,
 * except for printing.
 */
export function VirtualList<Item extends { readonly id: string }>({
  className,
  items,
  activeId,
  renderAllUpTo = 0,
  render,
}: VirtualListProps<Item>) {
  const list = useRef<HTMLOListElement>(null);
  const heights = useRef(new Map<string, number>());
  const [view, setView] = useState({ top: 0, bottom: 1_200 });
  const [, setMeasured] = useState(0);
  const isPrinting = useIsPrinting();
  const isWhole = isPrinting || items.length <= renderAllUpTo;
  useScrollWindow(list, isWhole, setView);

  const all = items.map(({ id }) => heights.current.get(id) ?? ESTIMATE);
  const { from, to, before, after } = isWhole
    ? { from: 0, to: items.length, before: 0, after: 0 }
    : visibleRange(all, view.top - OVERSCAN, view.bottom + OVERSCAN);

  useLayoutEffect(() => {
    const element = list.current;
    if (isWhole || !element) return;
    const gap = Number.parseFloat(getComputedStyle(element).rowGap) || 0;
    let isNew = false;
    for (const item of element.querySelectorAll<HTMLElement>(":scope > li")) {
      const id = item.dataset["item"] ?? "";
      const height = item.offsetHeight + gap;
      if (heights.current.get(id) === height) continue;
      heights.current.set(id, height);
      isNew = true;
    }
    if (isNew) setMeasured((count) => count + 1);
  });
  // An item that becomes active is scrolled into view once, not when it is rendered again while the person scrolls.
  const revealed = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (revealed.current === activeId) return;
    const activeAt = items.findIndex(({ id }) => id === activeId);
    const element = list.current;
    const scroller = findScroller(element);
    const isRendered = activeAt >= from && activeAt < to;
    if (isRendered || activeAt < 0) revealed.current = activeId;
    if (activeAt < 0 || !scroller || !element) return;
    const item = element.children[activeAt - from];
    if (isRendered) {
      if (item) scrollTo(item, scroller);
      return;
    }
    const top = all.slice(0, activeAt).reduce((sum, height) => sum + height, 0);
    scroller.scrollTop += top + distance(element, scroller) - COVERED;
  });

  return (
    <ol
      ref={list}
      className={classNames(className, !isWhole && "virtual-list")}
      style={{ paddingTop: before, paddingBottom: after }}
    >
      {items.slice(from, to).map((item, index) =>
        render(item, {
          "data-item": item.id,
          "aria-setsize": items.length,
          "aria-posinset": from + index + 1,
        }),
      )}
    </ol>
  );
}

/** Returns whether the page is being printed. All items are rendered before the browser lays out the printed page. */
function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    const begin = () => flushSync(() => setIsPrinting(true));
    const end = () => setIsPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}

/** Reports the visible part of the list, in pixels from its top. */
function useScrollWindow(
  list: React.RefObject<HTMLElement | null>,
  isWhole: boolean,
  onChange: (view: { readonly top: number; readonly bottom: number }) => void,
): void {
  useEffect(() => {
    const element = list.current;
    const scroller = findScroller(element);
    if (!element || !scroller || isWhole) return undefined;
    let last = { top: Number.NaN, height: 0 };
    const look = () => {
      const top = -distance(element, scroller);
      const height = scroller.clientHeight;
      // Renders again only after scrolling by a fraction of the margin that is rendered beyond the window.
      if (Math.abs(top - last.top) < OVERSCAN / 3 && Math.abs(height - last.height) < OVERSCAN / 3) return;
      last = { top, height };
      onChange({ top, bottom: top + height });
    };
    look();
    const target = scroller === document.scrollingElement ? document : scroller;
    target.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(scroller);
    return () => {
      target.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [list, isWhole, onChange]);
}

/**
 * Scrolls an item into view. Does not call `scrollIntoView`, which would also stop a smooth scroll of the
 * page.
 */
function scrollTo(item: Element, scroller: Element): void {
  const { top, bottom } = item.getBoundingClientRect();
  const windowTop = scroller === document.scrollingElement ? 0 : scroller.getBoundingClientRect().top;
  const above = windowTop + COVERED - top;
  const below = bottom - (windowTop + scroller.clientHeight);
  if (above > 0) scroller.scrollTop -= above;
  else if (below > 0) scroller.scrollTop += Math.min(below, -above);
}

/** Returns the distance from the top of the scroller's window to the top of the list. */
function distance(list: HTMLElement, scroller: Element): number {
  const top = scroller === document.scrollingElement ? 0 : scroller.getBoundingClientRect().top;
  return list.getBoundingClientRect().top - top;
}

function findScroller(element: HTMLElement | null): Element | null {
  for (let each = element?.parentElement; each; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.scrollingElement;
}

interface VisibleRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Pixels above the first visible item. */
  readonly before: number;
  /** Pixels below the last visible item. */
  readonly after: number;
}

/** Returns the items of a list of different heights that are between two positions, in pixels from its top. */
export function visibleRange(heights: readonly number[], top: number, bottom: number): VisibleRange {
  let from = 0;
  let before = 0;
  while (from < heights.length && before + (heights[from] ?? 0) < top) {
    before += heights[from] ?? 0;
    from++;
  }
  let to = from;
  let end = before;
  while (to < heights.length && end <= bottom) {
    end += heights[to] ?? 0;
    to++;
  }
  let after = 0;
  for (let at = to; at < heights.length; at++) after += heights[at] ?? 0;
  return { from, to, before, after };
}
