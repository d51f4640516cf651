import type { DiffDesk } from "../git/diff-desk.ts";

/** A diff under review and everything that is known about it. */
export interface CodeReview {
  readonly diffs: DiffDesk;
  /** With `{path}` and `{line}`, see `DiffIndex.editorLink`. */
  readonly editorLink: string;
}
