import type { DiffSession } from "../diff-session.ts";
import type { RoundStore } from "./rounds/round-store.ts";

/** A diff under review and its stores. */
export interface CodeReview {
  readonly diffs: DiffSession;
  readonly rounds: RoundStore;
  /** Template with `{path}` and `{line}`; see `DiffIndex.editorLink`. */
  readonly editorLink: string;
  /** Whether the decision is printed as JSON. */
  readonly json?: boolean | undefined;
}
