import type { DiffSession } from "../diff-session.ts";
import type { RoundStore } from "./rounds/round-store.ts";
import type { SymbolFiles } from "./symbols/symbols-client.ts";

/** A diff under review and its stores. */
export interface CodeReview {
  readonly diffs: DiffSession;
  readonly rounds: RoundStore;
  /** Template with `{path}` and `{line}`; see `DiffIndex.editorLink`. */
  readonly editorLink: string;
  /** Reads the built files of the symbol parser; absent where there are none. */
  readonly symbolFiles?: (() => Promise<SymbolFiles>) | undefined;
  /** Whether the decision is printed as JSON. */
  readonly json?: boolean | undefined;
}
