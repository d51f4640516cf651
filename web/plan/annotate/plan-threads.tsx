import { useMemo } from "react";
import type { Thread } from "../../../src/review/api-types.ts";
import { newId } from "../../shared/new-id.ts";
import { ThreadCard } from "../../shared/threads/thread-card.tsx";
import { ThreadList } from "../../shared/threads/thread-list.tsx";
import { acceptFinding, useThreads } from "../../shared/threads/thread-store.ts";
import { inReviewOrder } from "../../shared/threads/threads.ts";
import { lineRange, MAX_RENDERED_CARDS } from "../model/annotations.ts";
import { addAnnotations } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";
import { showThread, threadAnchor } from "../state/threads.ts";
import { shortened } from "./annotation-card.tsx";
import { beside } from "./margin.ts";

/**
 * Lists the threads of the plan in document order. This module is separate, so that it is loaded only when
 * there is a thread.
 */
export function PlanThreads() {
  const threads = useThreads((state) => state.threads);
  const ordered = useMemo(() => inReviewOrder(threads), [threads]);
  return (
    <ThreadList
      threads={ordered}
      renderAllUpTo={MAX_RENDERED_CARDS}
      render={(thread) => <PlanThread thread={thread} />}
    />
  );
}

function PlanThread({ thread }: { readonly thread: Thread }) {
  const plan = useReview((state) => state.document);
  const isLive = useThreads(({ live }) => live !== undefined);
  const { anchor, outdated } = thread;
  const found = threadAnchor(plan, thread);
  const position = found ? lineRange(found) : anchor.kind === "review" ? "the whole plan" : "";
  return (
    <div {...beside(found)}>
      {anchor.kind === "plan" && !outdated && (
        <blockquote className="card-quote thread-quote">{shortened(anchor.quote)}</blockquote>
      )}
      <ThreadCard
        thread={thread}
        position={position}
        onShow={found && (() => showThread(thread))}
        canRespond={isLive}
        onAccept={accept}
      />
    </div>
  );
}

/**
 * Accepts a finding. In a one-shot review, the finding becomes a comment, which is sent with the decision.
 */
function accept(thread: Thread): void {
  const isLive = useThreads.getState().live !== undefined;
  void acceptFinding(thread).then((isDone) => {
    if (!isDone || isLive) return;
    const anchor = threadAnchor(useReview.getState().document, thread);
    const text = thread.messages[0]?.markdown ?? "";
    const createdAt = new Date().toISOString();
    const type = anchor ? "comment" : "general";
    addAnnotations([{ id: newId(), type, text, createdAt, ...(anchor && { anchor }) }]);
  });
}
