import { FileDown } from "lucide-react";
import { useState } from "react";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { ErrorLine } from "../../shared/components/error-line.tsx";
import { showToast } from "../../shared/components/toast.tsx";
import { download } from "../../shared/download.ts";
import type { ReviewComment } from "../core/comment.ts";
import { useComments } from "../state/comments.ts";
import { useSession } from "../state/session.ts";
import { openDialog } from "../state/view.ts";
import { createCodePage } from "./save-as-page.ts";
import { readSharedCode, type SharedCodeReview } from "./shared-code-review.ts";

/** Shares the diff with its comments as a file. Nothing is uploaded. */
export function ShareDialog() {
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      const { page, title } = await createCodePage();
      download(page, `${title}.html`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown reason";
      showToast(`Cannot save the page: ${reason}.`, { tone: "danger" });
    }
    setSaving(false);
  };
  return (
    <Dialog title="Share this code review" onClose={() => openDialog("none")}>
      <p>
        The file shows this diff and your comments in any browser, without Sallyport. A colleague can add
        comments and send them back as a file, which you import here. Threads of a live review are not part of
        it.
      </p>
      <p>
        <Button variant="primary" disabled={saving} onClick={() => void save()}>
          <FileDown size={16} aria-hidden /> {saving ? "Saving …" : "Save as one HTML file"}
        </Button>
      </p>
    </Dialog>
  );
}

/** Imports a colleague's comments from a comments file or a saved page. */
export function ImportDialog() {
  const [review, setReview] = useState<SharedCodeReview>();
  const [error, setError] = useState<string>();
  const known = useComments(({ comments }) => comments);
  const fresh = review ? newAmong(review.comments, known) : [];
  const close = () => openDialog("none");
  const read = async (file: File | undefined) => {
    setError(undefined);
    setReview(undefined);
    if (!file) return;
    try {
      setReview(readSharedCode(await file.text()));
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
            Add {fresh.length > 0 ? count(fresh.length) : "comments"}
          </Button>
        </>
      }
    >
      <label className="field">
        <span>A comments file, or a page saved by Sallyport</span>
        <input
          className="input"
          type="file"
          accept=".json,.html,application/json,text/html"
          onChange={({ target }) => void read(target.files?.[0])}
        />
      </label>
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
      {count(review.comments.length)} on “{review.title}”.
      {known > 0 && ` ${known} of them ${known === 1 ? "is" : "are"} already in the review.`}
      {review.diffId !== diffId &&
        " They were written on another version of the diff: each is shown where its lines are now."}
    </p>
  );
}

function newAmong(comments: readonly ReviewComment[], known: readonly ReviewComment[]): ReviewComment[] {
  const ids = new Set(known.map(({ id }) => id));
  // Images of another machine cannot be opened here.
  return comments.filter(({ id }) => !ids.has(id)).map((comment) => ({ ...comment, images: [] }));
}

function add(fresh: readonly ReviewComment[]): void {
  const before = useComments.getState().comments;
  const ids = new Set(fresh.map(({ id }) => id));
  useComments.setState({ comments: [...before, ...fresh] });
  openDialog("none");
  const run = () =>
    useComments.setState(({ comments }) => ({ comments: comments.filter(({ id }) => !ids.has(id)) }));
  showToast(`${count(fresh.length)} added`, { action: { label: "Undo", run } });
}

function count(comments: number): string {
  return comments === 1 ? "1 comment" : `${comments} comments`;
}
