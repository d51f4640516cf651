import type { DiffFile, DiffRound } from "../../../src/review/api-types.ts";

export type SinceLast = "new" | "changed" | "same";

/** Returns the change to a file since a round on the same diff; undefined without such a round. */
export function sinceRound(round: DiffRound | undefined, file: DiffFile): SinceLast | undefined {
  if (!round) return undefined;
  const then = round.files.find(({ path }) => path === file.path);
  if (!then) return "new";
  return then.fingerprint === file.fingerprint ? "same" : "changed";
}

/** Describes the changes to all files of a diff since a round on the same diff. */
export function describeSince(round: DiffRound, files: readonly DiffFile[], hidesSpace: boolean): string {
  const changed = files.filter((file) => sinceRound(round, file) !== "same").length;
  const now = new Set(files.flatMap(({ path, oldPath = path }) => [path, oldPath]));
  // Without whitespace changes, the diff has no files in which only whitespace has changed.
  const removed = hidesSpace ? 0 : round.files.filter(({ path }) => !now.has(path)).length;
  const left =
    removed === 0 ? "" : ` ${removed === 1 ? "1 file is" : `${removed} files are`} no longer in the diff.`;
  if (changed === 0) return removed === 0 ? "No file has changed since then." : left.trim();
  const marked =
    changed === 1
      ? "1 file has changed since then; it is"
      : `${changed} files have changed since then; they are`;
  return `${marked} marked.${left}`;
}
