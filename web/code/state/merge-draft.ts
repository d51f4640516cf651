import { isBlank } from "../core/comment.ts";
import type { DraftContent } from "./draft.ts";

/**
 * The draft as it was kept, and what was written on the page while it was on its way: neither is lost. An editor that
 * was opened and left without a word is no comment to come back. Pure.
 */
export function mergeDraft(kept: DraftContent, written: DraftContent): DraftContent {
  const comments = (kept.comments ?? []).filter((comment) => !isBlank(comment));
  const known = new Set(comments.map(({ id }) => id));
  return {
    version: 1,
    comments: [...comments, ...written.comments.filter(({ id }) => !known.has(id))],
    editing: [...new Set([...(kept.editing ?? []), ...written.editing])],
    viewed: [...new Map([...marksOf(kept.viewed), ...written.viewed])],
    edited: written.edited ?? kept.edited,
  };
}

/** Drafts of the first days have their marks as members of an object. */
function marksOf(viewed: DraftContent["viewed"] | Readonly<Record<string, string>> | undefined) {
  return Array.isArray(viewed) ? (viewed as DraftContent["viewed"]) : Object.entries(viewed ?? {});
}
