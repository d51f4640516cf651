import { useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { ErrorLine } from "../../shared/components/error-line.tsx";
import { showToast } from "../../shared/components/toast.tsx";
import {
  CommentsFileField,
  formatCount,
  formatKnown,
  SavePageButton,
} from "../../shared/share/share-fields.tsx";
import type { ReviewComment } from "../core/comment.ts";
import { useComments } from "../state/comments.ts";
import { useSession } from "../state/session.ts";
import { openDialog } from "../state/view.ts";
import { createCodePage } from "./save-as-page.ts";
import { readSharedCode, type SharedCodeReview } from "./shared-code-review.ts";

/** Renders the dialog that saves the diff with its comments as a file. Nothing is uploaded. */
export function ShareDialog() {
  return (
    <Dialog title="Share this code review" onClose={() => openDialog("none")}>
      <p>
        The saved file shows this diff and your comments in any browser, without Sallyport. A colleague can
        add comments to it and send them back as a comments file, which you import here. The saved file does
        not contain the threads of a live review.
      </p>
      <p>
        <SavePageButton create={createCodePage} />
      </p>
    </Dialog>
  );
}

/** Renders the dialog that imports a colleague's comments from a comments file or a saved page. */
export function ImportDialog() {
  const [review, setReview] = useState<SharedCodeReview>();
  const [error, setError] = useState<string>();
  const known = useComments(({ comments }) => comments);
  const fresh = review ? newAmong(review.comments, known) : [];
  const close = () => openDialog("none");
  const read = (text: string | undefined) => {
    setError(undefined);
    setReview(undefined);
    if (text === undefined) return;
    try {
      setReview(readSharedCode(text));
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "Cannot read the file.");
    }
  };
  return (
    <Dialog
      title="Import comments"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" disabled={fresh.length === 0} onClick={() => add(fresh)}>
            Add {fresh.length > 0 ? formatCount(fresh.length) : "comments"}
          </Button>
        </>
      }
    >
      <CommentsFileField onText={read} />
      <ErrorLine error={error} />
      {review && <Found review={review} fresh={fresh.length} />}
    </Dialog>
  );
}

function Found({ review, fresh }: { readonly review: SharedCodeReview; readonly fresh: number }) {
  const diffId = useSession(({ index }) => index?.diffId);
  const known = review.comments.length - fresh;
  return (
    <p className="callout" role="status">
      {formatCount(review.comments.length)} on “{review.title}”.
      {formatKnown(known)}
      {review.diffId !== diffId &&
        " They were written on another version of the diff and are shown at the current position of their lines."}
    </p>
  );
}

function newAmong(comments: readonly ReviewComment[], known: readonly ReviewComment[]): ReviewComment[] {
  const ids = new Set(known.map(({ id }) => id));
  // Leaves out images, which are on another machine and cannot be opened here.
  return comments.filter(({ id }) => !ids.has(id)).map((comment) => ({ ...comment, images: [] }));
}

function add(fresh: readonly ReviewComment[]): void {
  const before = useComments.getState().comments;
  const ids = new Set(fresh.map(({ id }) => id));
  useComments.setState({ comments: [...before, ...fresh] });
  openDialog("none");
  const run = () =>
    useComments.setState(({ comments }) => ({ comments: comments.filter(({ id }) => !ids.has(id)) }));
  showToast(`${formatCount(fresh.length)} added`, { action: { label: "Undo", run } });
}
