import { STATUS_LETTERS } from "../../../src/render/diff/patch/status-letters.ts";
import type { DiffFile } from "../../../src/review/api-types.ts";

/** What happened to a file, as the letter git uses for it. */
export function StatusLetter({ status }: { readonly status: DiffFile["status"] }) {
  return (
    <abbr className={`status-letter status-${status}`} title={status} aria-label={status}>
      {STATUS_LETTERS[status]}
    </abbr>
  );
}
