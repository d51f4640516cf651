import type { DiffLease } from "../diff-session.ts";
import type { CellPosition } from "../notebook-api-types.ts";

/**
 * Returns the cell that contains some lines of a file; undefined if the file is not a notebook or the lines are not
 * in a cell. Loads the parser with the first notebook. Never rejects.
 */
export async function locateInNotebook(
  diff: Pick<DiffLease, "snapshot" | "sides">,
  path: string,
  side: "old" | "new",
  lines: { readonly lineStart: number; readonly lineEnd: number },
): Promise<CellPosition | undefined> {
  if (!/\.ipynb$/i.test(path) || lines.lineStart < 1) return undefined;
  const { findLinesInNotebook } = await import("./read-notebook.ts");
  return findLinesInNotebook(diff, path, side, lines);
}
