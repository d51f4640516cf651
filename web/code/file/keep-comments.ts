import { create } from "zustand";
import { readStored, writeStored } from "../../shared/share/stored-comments.ts";
import { isBlank, type ReviewComment } from "../core/comment.ts";
import type { SharedCodeReview } from "../share/shared-code-review.ts";
import { useComments } from "../state/comments.ts";

/** Name of the colleague who comments on a saved page. */
export const useAuthor = create<{ readonly author: string }>(() => ({ author: "" }));

/** Comments on a saved page, as stored by the browser. */
interface KeptComments {
  readonly comments: readonly ReviewComment[];
  readonly author: string;
}

/** Restores the stored comments on this page, and stores every change. */
export function keepComments({ title, diffId, comments }: SharedCodeReview): void {
  const key = `sallyport code ${title} ${diffId} ${comments.map(({ id }) => id).join(" ")}`;
  const kept = readStored<KeptComments>(key, (kept) => Array.isArray(kept.comments));
  if (kept) {
    useComments.setState({ comments: kept.comments });
    useAuthor.setState({ author: kept.author });
  }
  const keep = () => {
    const written = useComments.getState().comments.filter((comment) => !isBlank(comment));
    writeStored(key, { comments: written, author: useAuthor.getState().author });
  };
  useComments.subscribe((now, before) => {
    if (now.comments !== before.comments) keep();
  });
  useAuthor.subscribe(keep);
}
