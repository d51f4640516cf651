import { ClipboardCopy, MessageSquarePlus, X } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import { Button, IconButton } from "../../shared/components/button.tsx";
import { Segmented } from "../../shared/components/segmented.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { CommentBadge, PositionLabel } from "../comments/comment-card.tsx";
import { goToComment } from "../comments/move.ts";
import { commentOnAll } from "../comments/start.ts";
import { ThreadItem } from "../comments/thread.tsx";
import { type CommentType, inFileOrder, type ReviewComment } from "../core/comment.ts";
import type { DiffController } from "../diff/controller.ts";
import { useComments } from "../state/comments.ts";
import { copyFeedback } from "../state/compose-feedback.ts";
import { currentPosition } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { useView } from "../state/view.ts";
import { coversDiff } from "./covers-diff.ts";

const SidebarThreads = lazy(() =>
  import("./sidebar-threads.tsx").then((module) => ({ default: module.SidebarThreads })),
);

/**
 * Renders the comments of the chosen type, then the threads. In each list, the items on the whole change come first,
 * and the others follow in file order.
 */
export function CommentSidebar({ controller }: { readonly controller: DiffController }) {
  const comments = useComments((state) => state.comments);
  const files = useSession((session) => session.files);
  const hasThreads = useThreads(({ threads }) => threads.length > 0);
  const [type, setType] = useState<CommentType | "all">("all");
  const ordered = useMemo(() => {
    const orderByPath = new Map(files.map(({ path }, order) => [path, order]));
    return inFileOrder(comments, (path) => orderByPath.get(path) ?? files.length);
  }, [comments, files]);
  const shown = ordered.filter((comment) => type === "all" || comment.type === type);
  return (
    <aside className="sidebar" aria-label="Comments">
      <SidebarHead />
      <Segmented
        label="Which comments"
        value={type}
        onChange={setType}
        options={[
          { value: "all", label: `All ${comments.length}` },
          { value: "comment", label: "Comments" },
          { value: "suggestion", label: "Suggestions" },
          { value: "concern", label: "Concerns" },
        ]}
      />
      <Button onClick={() => commentOnAll()}>
        <MessageSquarePlus size={15} aria-hidden /> Comment on the whole change
      </Button>
      {shown.length === 0 && <p className="hint">{describeNone(comments.length > 0, files.length > 0)}</p>}
      <ol className="sidebar-list">
        {shown.map((comment) => (
          <li key={comment.id}>
            <SidebarItem comment={comment} controller={controller} />
          </li>
        ))}
      </ol>
      {hasThreads && (
        <Suspense fallback={null}>
          <SidebarThreads controller={controller} />
        </Suspense>
      )}
    </aside>
  );
}

function describeNone(hasComments: boolean, hasFiles: boolean): string {
  if (hasComments) return "None.";
  if (!hasFiles) return "This diff has no lines to comment on.";
  return "Click a line number, or drag over several, to comment on them.";
}

function SidebarHead() {
  return (
    <div className="sidebar-head">
      <h2>Comments</h2>
      <IconButton small label="Copy the feedback as Markdown" onClick={() => void copyFeedback()}>
        <ClipboardCopy size={15} aria-hidden />
      </IconButton>
      <IconButton
        small
        label="Close the comments"
        shortcut="."
        onClick={() => useView.setState({ commentsOpen: false })}
      >
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

/** Renders a comment: as a button that goes to it if its file is in the diff, or in full otherwise. */
function SidebarItem({
  comment,
  controller,
}: {
  readonly comment: ReviewComment;
  readonly controller: DiffController;
}) {
  if (comment.path === undefined || currentPosition(comment).state === "elsewhere") {
    return (
      <>
        {comment.path !== undefined && <p className="sidebar-path">{withDeceptionsShown(comment.path)}</p>}
        <ThreadItem id={comment.id} />
      </>
    );
  }
  const show = () => {
    if (coversDiff()) useView.setState({ commentsOpen: false });
    goToComment(controller, comment);
  };
  return (
    <button type="button" className="sidebar-item" onClick={show}>
      <span className="sidebar-path">{withDeceptionsShown(comment.path)}</span>
      <span className="sidebar-line">
        <CommentBadge type={comment.type} /> <PositionLabel comment={comment} />
      </span>
      <span className="sidebar-text">{formatSummary(comment)}</span>
    </button>
  );
}

function formatSummary(comment: ReviewComment): string {
  if (comment.text.trim() !== "") return comment.text.trim().slice(0, 200);
  if (comment.suggestion !== undefined) return comment.suggestion.slice(0, 200);
  return comment.images.length > 0 ? "(an image)" : "(empty)";
}
