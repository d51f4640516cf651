import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Thread } from "../../../src/review/api-types.ts";
import { authorName } from "./thread-card.tsx";
import { useThreads } from "./thread-store.ts";
import { authorKey, authorsIn, filterThreads, severitiesIn, type ThreadFilter } from "./threads.ts";
import { visibleRange } from "./visible-range.ts";

/** Estimated height of a thread that was not rendered yet, and pixels rendered beyond the window. */
const ESTIMATE = 120;
const OVERSCAN = 600;

interface ThreadListProps {
  /** All threads in the order of the list. */
  readonly threads: readonly Thread[];
  readonly render: (thread: Thread) => ReactNode;
}

/** Lists threads with filters. Only those near the window are rendered. */
export function ThreadList({ threads, render }: ThreadListProps) {
  const filter = useThreads((state) => state.filter);
  const shown = filterThreads(threads, filter);
  if (threads.length === 0) return null;
  return (
    <section className="thread-section" aria-label="Threads">
      <h3>
        Threads{" "}
        <span className="badge">
          {shown.length === threads.length ? threads.length : `${shown.length} of ${threads.length}`}
        </span>
      </h3>
      <Filters threads={threads} filter={filter} />
      {shown.length === 0 && <p className="hint">No thread matches the filters.</p>}
      <VirtualList threads={shown} render={render} />
    </section>
  );
}

const STATES: readonly (readonly [ThreadFilter["state"], string])[] = [
  ["all", "All states"],
  ["open", "Open"],
  ["outdated", "Outdated"],
  ["resolved", "Resolved"],
  ["dismissed", "Dismissed"],
];

function Filters({
  threads,
  filter,
}: {
  readonly threads: readonly Thread[];
  readonly filter: ThreadFilter;
}) {
  const authors = authorsIn(threads);
  const severities = severitiesIn(threads);
  const change = (changes: Partial<ThreadFilter>) =>
    useThreads.setState({ filter: { ...filter, ...changes } });
  return (
    <div className="thread-filters no-print">
      <select
        className="input"
        aria-label="State of the threads"
        value={filter.state}
        onChange={({ target }) => change({ state: target.value as ThreadFilter["state"] })}
      >
        {STATES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Author"
        value={filter.author}
        onChange={({ target }) => change({ author: target.value })}
      >
        <option value="all">All authors</option>
        {authors.map((author) => (
          <option key={authorKey(author)} value={authorKey(author)}>
            {author.kind === "person" ? "You" : authorName(author)}
          </option>
        ))}
      </select>
      {(severities.length > 0 || filter.severity !== "all") && (
        <select
          className="input"
          aria-label="Severity"
          value={filter.severity}
          onChange={({ target }) => change({ severity: target.value as ThreadFilter["severity"] })}
        >
          <option value="all">All severities</option>
          {severities.map((severity) => (
            <option key={severity} value={severity}>
              {severity[0]?.toUpperCase() + severity.slice(1)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function VirtualList({ threads, render }: ThreadListProps) {
  const list = useRef<HTMLOListElement>(null);
  const heights = useRef(new Map<string, number>());
  const [view, setView] = useState({ top: 0, bottom: 1_200 });
  const [, setMeasured] = useState(0);
  const activeId = useThreads((state) => state.activeId);
  useScrollWindow(list, setView);

  const all = threads.map(({ id }) => heights.current.get(id) ?? ESTIMATE);
  const { from, to, before, after } = visibleRange(all, view.top - OVERSCAN, view.bottom + OVERSCAN);

  useLayoutEffect(() => {
    let isNew = false;
    for (const item of list.current?.querySelectorAll<HTMLElement>(":scope > li") ?? []) {
      const id = item.dataset["item"] ?? "";
      if (heights.current.get(id) === item.offsetHeight) continue;
      heights.current.set(id, item.offsetHeight);
      isNew = true;
    }
    if (isNew) setMeasured((count) => count + 1);
  });
  const activeAt = threads.findIndex(({ id }) => id === activeId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when another thread becomes active
  useEffect(() => {
    if (activeAt < 0 || (activeAt >= from && activeAt < to)) return;
    const scroller = scrollerOf(list.current);
    const top = all.slice(0, activeAt).reduce((sum, height) => sum + height, 0);
    if (scroller && list.current) scroller.scrollTop += top + distance(list.current, scroller) - 80;
  }, [activeId]);

  return (
    <ol ref={list} className="thread-list" style={{ paddingTop: before, paddingBottom: after }}>
      {threads.slice(from, to).map((thread, index) => (
        <li
          key={thread.id}
          data-item={thread.id}
          aria-setsize={threads.length}
          aria-posinset={from + index + 1}
        >
          {render(thread)}
        </li>
      ))}
    </ol>
  );
}

/** Reports the part of the list that is in the window of its scroller, in pixels from the list's top. */
function useScrollWindow(
  list: React.RefObject<HTMLElement | null>,
  onChange: (view: { readonly top: number; readonly bottom: number }) => void,
): void {
  useEffect(() => {
    const element = list.current;
    const scroller = scrollerOf(element);
    if (!element || !scroller) return undefined;
    let last = Number.NaN;
    const look = () => {
      const top = -distance(element, scroller);
      // Renders only after scrolling by a part of what is rendered beyond the window.
      if (Math.abs(top - last) < OVERSCAN / 3) return;
      last = top;
      onChange({ top, bottom: top + scroller.clientHeight });
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
  }, [list, onChange]);
}

/** Returns the distance from the top of the scroller's window to the top of the list. */
function distance(list: HTMLElement, scroller: Element): number {
  const top = scroller === document.scrollingElement ? 0 : scroller.getBoundingClientRect().top;
  return list.getBoundingClientRect().top - top;
}

function scrollerOf(element: HTMLElement | null): Element | null {
  for (let each = element?.parentElement; each; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.scrollingElement;
}
