import type { DiffFile } from "../../../review/api-types.ts";

/** The letter git uses for what happened to a file. */
export const STATUS_LETTERS: Readonly<Record<DiffFile["status"], string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  copied: "C",
  "type-changed": "T",
};
