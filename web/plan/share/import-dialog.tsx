import { useMemo, useState } from "react";
import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { ErrorLine } from "../../shared/components/error-line.tsx";
import { showToast } from "../../shared/components/toast.tsx";
import { CommentsFileField, formatCount, formatKnown } from "../../shared/share/share-fields.tsx";
import { relocateAnnotations } from "../model/annotations.ts";
import { addAnnotations, openDialog, undo } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";
import { readShared, type SharedReview } from "./shared-review.ts";

/** Renders the dialog that imports a colleague's comments from a comments file, a saved page or a link. */
export function ImportDialog() {
  const [text, setText] = useState(() => (location.hash.startsWith("#shared=") ? location.href : ""));
  const [review, setReview] = useState<SharedReview>();
  const [error, setError] = useState<string>();
  const close = () => openDialog(undefined);

  const read = async (content: string) => {
    setError(undefined);
    setReview(undefined);
    try {
      setReview(await readShared(content));
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
          {review ? (
            <AddButton review={review} />
          ) : (
            <Button variant="primary" disabled={text.trim() === ""} onClick={() => read(text)}>
              Preview
            </Button>
          )}
        </>
      }
    >
      <CommentsFileField onText={(content) => content !== undefined && read(content)} />
      <label className="field">
        <span>Or a link</span>
        <textarea
          className="input input-code import-link"
          rows={2}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <ErrorLine error={error} />
      {review && <Found review={review} />}
    </Dialog>
  );
}

function AddButton({ review }: { readonly review: SharedReview }) {
  const { length } = useFresh(review);
  return (
    <Button variant="primary" disabled={length === 0} onClick={() => importAnnotations(review)}>
      Add {formatCount(length)}
    </Button>
  );
}

/** Returns the imported annotations that this review does not have yet. */
function useFresh({ annotations }: SharedReview): readonly PlanAnnotation[] {
  const known = useReview((state) => state.annotations);
  return useMemo(() => {
    const ids = new Set(known.map(({ id }) => id));
    return annotations.filter(({ id }) => !ids.has(id));
  }, [annotations, known]);
}

function Found({ review }: { readonly review: SharedReview }) {
  const known = review.annotations.length - useFresh(review).length;
  const document = useReview((state) => state.document);
  const lost = relocateAnnotations(document, review.annotations).filter((each) => each.lost).length;
  return (
    <p className="callout" role="status">
      {formatCount(review.annotations.length)} on “{review.title}”.
      {formatKnown(known)}
      {review.plan !== document.source && " They were written on another version of the plan. "}
      {lost > 0 && ` The text of ${formatCount(lost)} is no longer in the plan; they keep their quote.`}
    </p>
  );
}

function importAnnotations(review: SharedReview): void {
  // Leaves out images, which are on another machine and cannot be opened here.
  const annotations = review.annotations.map(({ images: _images, ...rest }) => rest);
  const relocated = relocateAnnotations(useReview.getState().document, annotations);
  const added = addAnnotations(relocated.map(({ annotation }) => annotation));
  if (location.hash.startsWith("#shared=")) history.replaceState(null, "", location.pathname);
  openDialog(undefined);
  if (added > 0) showToast(`${formatCount(added)} added`, { action: { label: "Undo", run: undo } });
  else showToast("These comments are already in the review");
}
