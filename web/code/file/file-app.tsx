import { Download, MessageSquare, PanelLeft } from "lucide-react";
import { useEffect, useMemo } from "react";
import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import { Button, IconButton } from "../../shared/components/button.tsx";
import { Logo } from "../../shared/components/logo.tsx";
import { Toasts } from "../../shared/components/toast.tsx";
import { ShortcutSheet } from "../../shared/keyboard/shortcut-sheet.tsx";
import { useShortcuts } from "../../shared/keyboard/shortcuts.ts";
import { AuthorField, downloadComments } from "../../shared/share/share-fields.tsx";
import { ThemeToggle } from "../../shared/theme/theme-toggle.tsx";
import { SelectionActions } from "../comments/selection-actions.tsx";
import { showEditorsIn } from "../comments/show-editor.ts";
import { DiffController } from "../diff/controller.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { CommitBar } from "../header/commit-bar.tsx";
import { FindBar } from "../header/find-bar.tsx";
import type { SharedCodeReview } from "../share/shared-code-review.ts";
import { codeTyping, readingShortcutsFor } from "../shortcuts.ts";
import { CommentSidebar } from "../sidebar/comment-sidebar.tsx";
import { FileTree } from "../sidebar/file-tree.tsx";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { openDialog, useView } from "../state/view.ts";
import { useAuthor } from "./keep-comments.ts";

/** Renders a saved diff on which a colleague can comment. Comments are saved as a file for import into the review. */
export function FileApp({ review }: { readonly review: SharedCodeReview }) {
  const controller = useMemo(() => new DiffController(), []);
  const shortcuts = useMemo(() => readingShortcutsFor(controller), [controller]);
  const treeOpen = useView((view) => view.treeOpen);
  const commentsOpen = useView((view) => view.commentsOpen);
  const dialog = useView((view) => view.dialog);
  useEffect(() => {
    showEditorsIn(controller);
    return controller.start();
  }, [controller]);
  useShortcuts(shortcuts, codeTyping);
  useUnsavedWarning();
  return (
    <div className="review" data-tree={treeOpen} data-comments={commentsOpen}>
      <FileHeader review={review} />
      <div className="banners">
        <CommitBar isSaved />
      </div>
      <div className="review-body">
        {treeOpen && <FileTree controller={controller} />}
        <div className="review-main">
          <FindBar controller={controller} />
          <DiffView controller={controller} />
        </div>
        {commentsOpen && <CommentSidebar controller={controller} />}
      </div>
      <SelectionActions />
      {dialog === "help" && <ShortcutSheet shortcuts={shortcuts} onClose={() => openDialog("none")} />}
      <Toasts />
    </div>
  );
}

function FileHeader({ review }: { readonly review: SharedCodeReview }) {
  const count = useComments(({ comments }) => nonEmptyComments(comments).length);
  const treeOpen = useView((view) => view.treeOpen);
  const commentsOpen = useView((view) => view.commentsOpen);
  const author = useAuthor((state) => state.author);
  return (
    <header className="header">
      <IconButton
        label="Files"
        shortcut="b"
        aria-pressed={treeOpen}
        onClick={() => useView.setState({ treeOpen: !treeOpen })}
      >
        <PanelLeft size={17} aria-hidden />
      </IconButton>
      <Logo />
      <h1 className="header-title">
        {withDeceptionsShown(review.title)}{" "}
        <span className="header-branch">a copy for reading and comments</span>
      </h1>
      <span className="header-space" />
      <span className="header-wide">
        <ThemeToggle onChange={() => undefined} />
      </span>
      <Button
        variant="quiet"
        aria-pressed={commentsOpen}
        aria-label={`Comments, ${count}`}
        onClick={() => useView.setState({ commentsOpen: !commentsOpen })}
      >
        <MessageSquare size={16} aria-hidden /> {count}
      </Button>
      <AuthorField author={author} onChange={(name) => useAuthor.setState({ author: name })} />
      <Button variant="primary" onClick={() => saveComments(review)}>
        <Download size={16} aria-hidden /> Save my comments
      </Button>
    </header>
  );
}

let saved: unknown;

/**
 * Saves the comments as a file for “Import comments”. Comments that were part of the page keep their author.
 */
function saveComments({ title, diffId, comments: given }: SharedCodeReview): void {
  const { comments } = useComments.getState();
  const author = useAuthor.getState().author.trim();
  const known = new Set(given.map(({ id }) => id));
  const named = nonEmptyComments(comments).map((comment) =>
    known.has(comment.id) || author === "" ? comment : { ...comment, author },
  );
  const file: SharedCodeReview = { sallyportCode: 1, title, diffId, comments: named };
  downloadComments(file);
  saved = comments;
}

/** Warns before leaving with changed comments that were not saved as a file. */
function useUnsavedWarning(): void {
  useEffect(() => {
    saved = useComments.getState().comments;
    const warn = (event: BeforeUnloadEvent) => {
      if (useComments.getState().comments !== saved) event.preventDefault();
    };
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, []);
}
