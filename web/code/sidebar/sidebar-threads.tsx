import { useMemo } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import type { Thread } from "../../../src/review/api-types.ts";
import { ThreadList } from "../../shared/threads/thread-list.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { inReviewOrder, threadStatus, threadSummary } from "../../shared/threads/threads.ts";
import { CodeThread, threadPosition } from "../comments/line-threads.tsx";
import { goToThread } from "../comments/move.ts";
import type { DiffController } from "../diff/controller.ts";
import { fileAt } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { useView } from "../state/view.ts";
import { coversDiff } from "./covers-diff.ts";

/**
 * Renders all threads in file order. This module is separate, so that it is loaded only when there is a thread.
 */
export function SidebarThreads({ controller }: { readonly controller: DiffController }) {
  const threads = useThreads((state) => state.threads);
  const files = useSession((session) => session.files);
  const ordered = useMemo(() => {
    const orderByPath = new Map(files.map(({ path }, order) => [path, order]));
    return inReviewOrder(threads, (path) => orderByPath.get(path) ?? files.length);
  }, [threads, files]);
  return (
    <ThreadList
      threads={ordered}
      render={(thread) => <SidebarThread thread={thread} controller={controller} />}
    />
  );
}

/** Renders a thread: as a button that goes to it if its file is in the diff, or in full otherwise. */
function SidebarThread({
  thread,
  controller,
}: {
  readonly thread: Thread;
  readonly controller: DiffController;
}) {
  const { anchor, severity, type, messages } = thread;
  const isActive = useThreads(({ activeId }) => activeId === thread.id);
  const path = "path" in anchor ? anchor.path : undefined;
  const isInDiff = useSession(({ files }) => fileAt(files, path) !== undefined);
  if (path === undefined || !isInDiff) {
    return (
      <>
        {path !== undefined && <p className="sidebar-path">{withDeceptionsShown(path)}</p>}
        <CodeThread thread={thread} />
      </>
    );
  }
  const show = () => {
    if (coversDiff()) useView.setState({ commentsOpen: false });
    goToThread(controller, thread);
  };
  const status = threadStatus(thread);
  return (
    <button type="button" className="sidebar-item" aria-current={isActive || undefined} onClick={show}>
      <span className="sidebar-path">{withDeceptionsShown(path)}</span>
      <span className="sidebar-line thread-line">
        <span className={`thread-type thread-type-${severity ?? type}`}>{severity ?? type}</span>
        <span className="comment-position">{threadPosition(thread)}</span>
        {status !== "open" && <span className={`thread-chip thread-chip-${status}`}>{status}</span>}
        {messages.length > 1 && <span className="thread-count">{messages.length} messages</span>}
      </span>
      <span className="sidebar-text">{threadSummary(thread)}</span>
    </button>
  );
}
