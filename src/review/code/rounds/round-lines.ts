import { createHash } from "node:crypto";
import { diffArrays } from "diff/lib/diff/array.js";
import {
  LINE_ADDED,
  LINE_CONTEXT,
  lineText,
  type ParsedPatch,
} from "../../../render/diff/patch/parsed-patch.ts";
import { scanPatch } from "../../../render/diff/patch/scan-patch.ts";
import { readPatch } from "../../git/file-text.ts";
import type { Snapshot, SnapshotFile } from "../../git/snapshot.ts";
import type { StoredRound } from "./round-store.ts";

/** Characters that stand for one line. */
const MARK_LENGTH = 8;
/** Changed lines of a diff that are remembered; of the files beyond it is only known whether they changed. */
const MAX_LINES = 20_000;
/** Steps between two versions after which order no longer counts: what was not there at all is new. */
const MAX_EDITS = 2_000;

/** Line numbers of each side, ascending. */
export interface ChangedLines {
  readonly old: readonly number[];
  readonly new: readonly number[];
}

/** The files of a diff, as a round remembers them. */
export async function rememberedFiles(snapshot: Snapshot): Promise<StoredRound["files"]> {
  const files: StoredRound["files"][0][] = [];
  let left = MAX_LINES;
  for (const file of snapshot.files) {
    const { path, fingerprint, additions, deletions } = file;
    const isRemembered = additions + deletions <= left;
    if (isRemembered) left -= additions + deletions;
    files.push({ path, fingerprint, ...(isRemembered && { lines: await lineMarks(snapshot, file) }) });
  }
  return files;
}

/** The changed lines of a file as marks, one after the other: enough to know them again, and none of their text. */
async function lineMarks(snapshot: Snapshot, file: SnapshotFile): Promise<string> {
  const patch = await parsed(snapshot, file);
  return changedIndexes(patch)
    .map((line) => markOf(patch, line))
    .join("");
}

/** The changed lines of a file that were not among those the marks stand for, in that order. */
export async function linesSince(
  snapshot: Snapshot,
  file: SnapshotFile,
  marks: string,
): Promise<ChangedLines> {
  if (file.additions + file.deletions > MAX_LINES) return { old: [], new: [] };
  const patch = await parsed(snapshot, file);
  const lines = changedIndexes(patch);
  const now = lines.map((line) => markOf(patch, line));
  const isNew = newAmong(marks.match(new RegExp(`.{${MARK_LENGTH}}`, "g")) ?? [], now);
  const fresh = lines.filter((_line, index) => isNew(index));
  const numbers = (side: Uint32Array) => fresh.flatMap((line) => side[line] || []);
  return { old: numbers(patch.oldLine), new: numbers(patch.newLine) };
}

async function parsed(snapshot: Snapshot, file: SnapshotFile): Promise<ParsedPatch> {
  return scanPatch((await readPatch(snapshot, file)).toString());
}

function changedIndexes(patch: ParsedPatch): number[] {
  return Array.from({ length: patch.lineCount }, (_, line) => line).filter(
    (line) => patch.kind[line] !== LINE_CONTEXT,
  );
}

function markOf(patch: ParsedPatch, line: number): string {
  const sign = patch.kind[line] === LINE_ADDED ? "+" : "-";
  const hash = createHash("sha256").update(sign + lineText(patch, line));
  return hash.digest("base64url").slice(0, MARK_LENGTH);
}

/** Tells of a position in `after` whether it has no counterpart in `before`. */
function newAmong(before: string[], after: string[]): (index: number) => boolean {
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (!parts) {
    const known = new Set(before);
    return (index) => !known.has(after[index] ?? "");
  }
  const fresh = new Set<number>();
  let at = 0;
  for (const { added, removed, value } of parts) {
    if (removed) continue;
    if (added) for (let step = 0; step < value.length; step++) fresh.add(at + step);
    at += value.length;
  }
  return (index) => fresh.has(index);
}
