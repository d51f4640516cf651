import type { DiffFile } from "../../../review/api-types.ts";

/** Git's letter for each file status. */
export const STATUS_LETTERS: Readonly<Record<DiffFile["status"], string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  copied: "C",
  "type-changed": "T",
};
