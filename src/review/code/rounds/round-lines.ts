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

/** Characters of the hash that represents one line. */
const MARK_LENGTH = 8;
/** Maximum changed lines stored for a diff. For files beyond this limit, only the fingerprint is stored. */
const MAX_LINES = 20_000;
/**
 * Maximum edits between two versions; beyond it, the order is ignored, and only lines that were absent before
 * count as new.
 */
const MAX_EDITS = 2_000;

/** Line numbers of each side, ascending. */
export interface ChangedLines {
  readonly old: readonly number[];
  readonly new: readonly number[];
}

/** Returns the files of a diff in the form that a round stores. */
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

/** Returns the hashes of a file's changed lines, concatenated: enough to recognize the lines, without their text. */
async function lineMarks(snapshot: Snapshot, file: SnapshotFile): Promise<string> {
  const patch = await parsed(snapshot, file);
  return changedIndexes(patch)
    .map((line) => hashLine(patch, line))
    .join("");
}

/**
 * Returns the changed lines of a file that have no counterpart in `marks`, the result of `lineMarks`; none if
 * the file has more than `MAX_LINES` changed lines.
 */
export async function linesSince(
  snapshot: Snapshot,
  file: SnapshotFile,
  marks: string,
): Promise<ChangedLines> {
  if (file.additions + file.deletions > MAX_LINES) return { old: [], new: [] };
  const patch = await parsed(snapshot, file);
  const lines = changedIndexes(patch);
  const now = lines.map((line) => hashLine(patch, line));
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

function hashLine(patch: ParsedPatch, line: number): string {
  const sign = patch.kind[line] === LINE_ADDED ? "+" : "-";
  const hash = createHash("sha256").update(sign + lineText(patch, line));
  return hash.digest("base64url").slice(0, MARK_LENGTH);
}

/** Returns a function that reports whether an index of `after` has no counterpart in `before`. */
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
