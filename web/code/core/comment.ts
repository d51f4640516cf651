import type { Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import type { AttachedImage, CellPosition, CodeAnnotation } from "../../../src/review/api-types.ts";
import type { DraftContent } from "../state/draft.ts";

export type CommentType = CodeAnnotation["type"];

export const commentTypes: readonly CommentType[] = ["comment", "suggestion", "concern"];

/** A person's comment on lines, on a file (no `place`), or on the whole change (no `path` either). */
export interface ReviewComment {
  readonly id: string;
  readonly type: CommentType;
  readonly path?: string;
  /** The path of the old side, if the diff renames or copies the file. */
  readonly oldPath?: string;
  readonly place?: LineAnchor;
  /** Markdown. */
  readonly text: string;
  /** Only for suggestions: the replacement of the lines. */
  readonly suggestion?: string;
  readonly images: readonly AttachedImage[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** The diff on which the comment was made. */
  readonly diff: DiffName;
  /** Name of the colleague who wrote the comment on a shared page; absent for the reviewer's own comments. */
  readonly author?: string;
}

export interface DiffName {
  readonly type: string;
  readonly label: string;
}

/**
 * Lines of one side, with enough text to find them after they have moved. `start` and `end` are counted from
 * 1 and inclusive.
 */
export interface LineAnchor {
  readonly side: Side;
  readonly start: number;
  readonly end: number;
  /** The commented lines, without line endings. */
  readonly lines: readonly string[];
  /** Up to three lines before and after. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /**
   * Set if the lines were commented in a notebook that is shown by cells: the texts are then without the JSON around
   * them, and the line numbers are those of the file. Null for lines outside of all cells.
   */
  readonly cell?: CellPosition | null;
}

/** Returns whether the suggestion differs from the commented lines. */
export function changesCode({ suggestion, place: anchor }: ReviewComment): boolean {
  return suggestion !== undefined && suggestion !== anchor?.lines.join("\n");
}

/** Returns whether a comment has no content: no text, no images, and no suggestion that changes the code. */
export function isBlank(comment: ReviewComment): boolean {
  return comment.text.trim() === "" && comment.images.length === 0 && !changesCode(comment);
}

/**
 * Returns the comments in order: those on the whole change first, then by file. Comments on a file precede those on its
 * lines.
 */
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

/**
 * Returns the paths of comments that were added, removed or moved between two lists. Other changes to comments do not
 * change the rows of a file.
 */
export function pathsMoved(
  after: readonly ReviewComment[],
  before: readonly ReviewComment[],
): ReadonlySet<string> {
  return new Set(after === before ? [] : [...pathsNotIn(after, before), ...pathsNotIn(before, after)]);
}

/** Returns the paths of comments that the other list lacks or has at other lines. */
function pathsNotIn(comments: readonly ReviewComment[], others: readonly ReviewComment[]): string[] {
  const anchors = new Map(others.map(({ id, place: anchor }) => [id, anchor]));
  return comments.flatMap(({ id, path, place: anchor }) =>
    path === undefined || (anchors.has(id) && anchors.get(id) === anchor) ? [] : [path],
  );
}

/**
 * Merges the stored draft with the content that was written before the draft arrived. Drops stored comments
 * without content. Pure.
 */
export function mergeDraft(kept: DraftContent, written: DraftContent): DraftContent {
  const comments = (kept.comments ?? []).filter((comment) => !isBlank(comment));
  const known = new Set(comments.map(({ id }) => id));
  return {
    version: 1,
    comments: [...comments, ...written.comments.filter(({ id }) => !known.has(id))],
    editing: [...new Set([...(kept.editing ?? []), ...written.editing])],
    viewed: [...new Map([...toMarks(kept.viewed), ...written.viewed])],
    edited: written.edited ?? kept.edited,
  };
}

/** Returns the viewed marks as entries. The first draft format stored them as an object. */
function toMarks(viewed: DraftContent["viewed"] | Readonly<Record<string, string>> | undefined) {
  return Array.isArray(viewed) ? (viewed as DraftContent["viewed"]) : Object.entries(viewed ?? {});
}
