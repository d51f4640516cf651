import { estimatedRows, type FileBody } from "../core/rows/file-body.ts";
import { useSession } from "../state/session.ts";

/** Maximum rows of a diff that is rendered as a whole, for printing and for the browser's search. */
export const MAX_WHOLE_LINES = 20_000;

/** Returns the number of rows of the files that are not folded, estimated for files whose patch is not loaded. */
export function countRows(bodies: readonly FileBody[]): number {
  return bodies.reduce((sum, { rows, file, state }) => {
    if (state === "folded") return sum;
    return sum + (rows?.count ?? estimatedRows(file, "unified"));
  }, 0);
}

/** Loads the missing patches, unless the diff is too large to retain, and prints the diff. */
export async function printDiff(): Promise<void> {
  await useSession.getState().patches?.ensureAll();
  print();
}
