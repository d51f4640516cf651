import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { AttachedImage, CodeAnnotation } from "../../../src/review/api-types.ts";
import type { DraftContent } from "../state/draft.ts";

export type CommentType = CodeAnnotation["type"];

export const commentTypes: readonly CommentType[] = ["comment", "suggestion", "concern"];

/** A person's comment on lines, on a file (no `place`), or on the whole change (no `path` either). */
export interface ReviewComment {
  readonly id: string;
  readonly type: CommentType;
  readonly path?: string;
  /** The file's former name, where the diff renames it. */
  readonly oldPath?: string;
  readonly place?: LineAnchor;
  /** Markdown. */
  readonly text: string;
  /** Of a suggestion: what should stand in place of the lines. */
  readonly suggestion?: string;
  readonly images: readonly AttachedImage[];
  /** ISO 8601 */
  readonly createdAt: string;
  /** The diff it was made on. */
  readonly diff: DiffName;
}

export interface DiffName {
  readonly type: string;
  readonly label: string;
}

/** Lines of one side, with enough of their text to find them again after they moved. Numbers from 1, both inclusive. */
export interface LineAnchor {
  readonly side: Side;
  readonly start: number;
  readonly end: number;
  /** The lines meant, without line endings. */
  readonly lines: readonly string[];
  /** Up to three lines before and after. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Whether it suggests other code than there is. */
export function changesCode({ suggestion, place }: ReviewComment): boolean {
  return suggestion !== undefined && suggestion !== place?.lines.join("\n");
}

/** Returns whether a comment has no content. */
export function isBlank(comment: ReviewComment): boolean {
  return comment.text.trim() === "" && comment.images.length === 0 && !changesCode(comment);
}

/** Comments on the whole change first, then by file as the diff shows them, a file's own before its lines'. */
export function inFileOrder(
  comments: readonly ReviewComment[],
  orderOf: (path: string) => number,
): ReviewComment[] {
  const rank = (comment: ReviewComment) => (comment.path === undefined ? -1 : orderOf(comment.path));
  return [...comments].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (a.path ?? "").localeCompare(b.path ?? "") ||
      (a.place?.start ?? 0) - (b.place?.start ?? 0) ||
      a.createdAt.localeCompare(b.createdAt),
  );
}

/** Paths of files in which a comment came, went or was moved between two lists: no other change moves a line. */
export function pathsMoved(
  after: readonly ReviewComment[],
  before: readonly ReviewComment[],
): ReadonlySet<string> {
  return new Set(after === before ? [] : [...pathsNotIn(after, before), ...pathsNotIn(before, after)]);
}

/** Paths of the comments that another list does not have, or has in another place. */
function pathsNotIn(comments: readonly ReviewComment[], others: readonly ReviewComment[]): string[] {
  const places = new Map(others.map(({ id, place }) => [id, place]));
  return comments.flatMap(({ id, path, place }) =>
    path === undefined || (places.has(id) && places.get(id) === place) ? [] : [path],
  );
}

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
