import type { Thread } from "../../../src/review/api-types.ts";
import { ThreadCard } from "../../shared/threads/thread-card.tsx";
import { acceptFinding, useThreads } from "../../shared/threads/thread-store.ts";
import { formatLines } from "../core/feedback.ts";
import { useSession } from "../state/session.ts";
import { threadsAt } from "../state/threads.ts";
import { commentFromFinding } from "./start.ts";

/** Renders the threads of one widget. This module is separate, so that it is loaded only when there is a thread. */
export function LineThreads({ widgetKey }: { readonly widgetKey: string }) {
  useThreads(({ threads }) => threads);
  return threadsAt(widgetKey).map((thread) => <CodeThread key={thread.id} thread={thread} />);
}

/** Renders a thread of the code page. */
export function CodeThread({ thread }: { readonly thread: Thread }) {
  const isLive = useThreads(({ live }) => live !== undefined);
  const isPull = useSession(({ index }) => index?.source === "pr");
  return (
    <ThreadCard
      thread={thread}
      position={threadPosition(thread)}
      canRespond={isLive || isPull}
      onAccept={accept}
    />
  );
}

/**
 * Accepts a finding. In a one-shot review, the finding becomes a comment, which is sent with the feedback.
 */
function accept(thread: Thread): void {
  const isLive = useThreads.getState().live !== undefined;
  void acceptFinding(thread).then((isDone) => {
    if (isDone && !isLive) commentFromFinding(thread);
  });
}

/** Describes the position of a thread. */
export function threadPosition({ anchor, outdated }: Thread): string {
  const was = outdated ? "was " : "";
  switch (anchor.kind) {
    case "lines":
      return `${was}${formatLines(anchor.lineStart, anchor.lineEnd)}${anchor.side === "old" ? ", before the change" : ""}`;
    case "file":
      return "the whole file";
    default:
      return "the whole change";
  }
}
