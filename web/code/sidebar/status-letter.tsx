import type { DiffFile } from "../../../src/review/api-types.ts";

const LETTERS: Readonly<Record<DiffFile["status"], string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  renamed: "R",
  copied: "C",
  "type-changed": "T",
};

/** The letter git uses for what happened to a file. */
export function StatusLetter({ status }: { readonly status: DiffFile["status"] }) {
  return (
    <abbr className={`status-letter status-${status}`} title={status} aria-label={status}>
      {LETTERS[status]}
    </abbr>
  );
}
