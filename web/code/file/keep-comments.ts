import { create } from "zustand";
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

/** Restores stored comments on this file and stores every change. */
export function keepComments({ title, diffId, comments }: SharedCodeReview): void {
  const key = `sallyport code ${title} ${diffId} ${comments.map(({ id }) => id).join(" ")}`;
  const kept = readKept(key);
  if (kept) {
    useComments.setState({ comments: kept.comments });
    useAuthor.setState({ author: kept.author });
  }
  const keep = () => {
    const written = useComments.getState().comments.filter((comment) => !isBlank(comment));
    writeKept(key, { comments: written, author: useAuthor.getState().author });
  };
  useComments.subscribe((now, before) => {
    if (now.comments !== before.comments) keep();
  });
  useAuthor.subscribe(keep);
}

function readKept(key: string): KeptComments | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null") as KeptComments | null;
    return Array.isArray(kept?.comments) ? kept : undefined;
  } catch {
    // Some browsers disable storage for local files. The page then warns before it is left.
    return undefined;
  }
}

function writeKept(key: string, kept: KeptComments): void {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Storage is disabled or full.
  }
}
