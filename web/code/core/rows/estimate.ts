import type { Layout } from "../../../../src/render/diff/row-model.ts";
import type { DiffFile } from "../../../../src/review/api-types.ts";

/** Bytes of an average patch line, marker and newline included. */
const LINE_BYTES = 36;

/**
 * How many rows a file will have, before its patch is here. Off by some; the real number replaces it when the
 * patch arrives, and the scroller keeps what is in view in its place.
 */
export function estimatedRows(file: DiffFile, layout: Layout): number {
  if (file.binary) return 1;
  const changed = file.additions + file.deletions;
  if (changed === 0) return 1;
  const lines = Math.max(changed + 1, Math.round(file.patchSize / LINE_BYTES));
  const isWhole = file.status === "added" || file.status === "deleted";
  const context = isWhole ? 0 : lines - changed;
  return layout === "unified" ? changed + context : Math.max(file.additions, file.deletions) + context;
}
