import { isSameValue, mergeById } from "../../shared/drafts/merge-by-id.ts";
import { mergeEntries } from "../../shared/drafts/merge-entries.ts";
import { mergeLines } from "../../shared/drafts/merge-lines.ts";
import type { DraftContent } from "../state/draft.ts";
import type { EditedFeedback } from "../state/edited-feedback.ts";
import { isBlank, type ReviewComment } from "./comment.ts";

/** The members of a draft that two tabs share. */
type SharedDraft = Pick<DraftContent, "comments" | "editing" | "viewed" | "edited">;

/**
 * Merges another tab's draft of the same review into this tab's draft. `base` is the common ancestor. Comments without
 * content stay in the tab that opened them. If both tabs changed a comment differently, this tab's version becomes a
 * comment with the id that `newId` returns, and its open editor moves to that comment. The feedback that both tabs
 * edited has the edits of both. Pure.
 */
export function mergeTabs(
  base: DraftContent | undefined,
  mine: DraftContent,
  theirs: DraftContent,
  newId: () => string,
): SharedDraft {
  const copies = new Map<string, string>();
  const copyComment = (comment: ReviewComment) => {
    const id = newId();
    copies.set(comment.id, id);
    return { ...comment, id };
  };
  const opened = new Set(mine.editing);
  const isOpened = (comment: ReviewComment) => opened.has(comment.id) && isBlank(comment);
  const merged = mergeById(
    base?.comments ?? [],
    mine.comments.filter((comment) => !isOpened(comment)),
    theirs.comments.filter((comment) => !isBlank(comment)),
    copyComment,
  );
  const known = new Set(merged.map(({ id }) => id));
  const comments = [
    ...merged,
    ...mine.comments.filter((comment) => isOpened(comment) && !known.has(comment.id)),
  ];
  const ids = new Set(comments.map(({ id }) => id));
  return {
    comments,
    editing: mine.editing.map((id) => copies.get(id) ?? id).filter((id) => ids.has(id)),
    viewed: [...mergeEntries(base?.viewed ?? [], mine.viewed, theirs.viewed)],
    edited: mergeEdited(base?.edited, mine.edited, theirs.edited),
  };
}

/** Merges two tabs' edits of the feedback; undefined is feedback without edits. An edit is preferred to its removal. */
function mergeEdited(
  base: EditedFeedback | undefined,
  mine: EditedFeedback | undefined,
  theirs: EditedFeedback | undefined,
): EditedFeedback | undefined {
  if (isSameValue(theirs, base)) return mine;
  if (!mine || isSameValue(mine, base)) return theirs;
  if (!theirs) return mine;
  const { composed } = mine;
  return { composed, text: mergeLines(base?.text ?? composed, mine.text, theirs.text) };
}
