import type { ReactNode } from "react";
import type { Thread } from "../../../src/review/api-types.ts";
import { VirtualList } from "../components/virtual-list.tsx";
import { useThreads } from "./thread-store.ts";
import {
  authorKey,
  authorName,
  authorsIn,
  filterThreads,
  severitiesIn,
  type ThreadFilter,
} from "./threads.ts";

interface ThreadListProps {
  /** All threads in the order of the list. */
  readonly threads: readonly Thread[];
  readonly render: (thread: Thread) => ReactNode;
  /** Maximum number of threads in a list that is rendered as a whole. */
  readonly renderAllUpTo?: number;
}

/**
 * Lists threads with filters. In a list longer than `renderAllUpTo`, only threads near the window are rendered, except
 * for printing.
 */
export function ThreadList({ threads, render, renderAllUpTo = 0 }: ThreadListProps) {
  const filter = useThreads((state) => state.filter);
  const activeId = useThreads((state) => state.activeId);
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
      <VirtualList
        className="thread-list"
        items={shown}
        activeId={activeId}
        renderAllUpTo={renderAllUpTo}
        render={(thread, item) => (
          <li key={thread.id} {...item}>
            {render(thread)}
          </li>
        )}
      />
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
