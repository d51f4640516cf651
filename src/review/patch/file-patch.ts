import { diffArrays } from "diff/lib/diff/array.js";
import { quoteName } from "../git/quoted-name.ts";
import { hashBlob } from "./hash-blob.ts";
import type { FilePatch } from "./read-patch-series.ts";

/** One version of a file: a regular file, or a symbolic link with its target as content. */
export interface FileContent {
  readonly mode: "100644" | "100755" | "120000";
  readonly bytes: Buffer;
}

/** Lines of context around a change. */
const CONTEXT = 3;
/**
 * Maximum edits of a comparison, not counting lines that only one side has. Beyond it, all lines between the first and
 * the last difference are replaced.
 */
const MAX_EDITS = 10_000;
/** Bytes at the start of a file in which git searches for NUL to recognize a binary file. */
const BINARY_HEAD = 8_000;
/** Maximum bytes of a file whose lines are compared. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** Returns the patch between two versions of a file, as git writes it; undefined if they are equal. */
export function filePatch(
  path: string,
  before: FileContent | undefined,
  after: FileContent | undefined,
): FilePatch | undefined {
  const isEqual = before && after && before.bytes.equals(after.bytes);
  if ((!before && !after) || (isEqual && before.mode === after.mode)) return undefined;
  const [oldName, newName] = [quoteName(Buffer.from(`a/${path}`)), quoteName(Buffer.from(`b/${path}`))];
  const [oldLabel, newLabel] = [before ? oldName : "/dev/null", after ? newName : "/dev/null"];
  const blobs = `${before ? hashBlob(before.bytes) : NO_OBJECT}..${after ? hashBlob(after.bytes) : NO_OBJECT}`;
  const hasModes = before && after && before.mode !== after.mode;
  let lines = [
    `diff --git ${oldName} ${newName}`,
    ...(before ? [] : [`new file mode ${after?.mode}`]),
    ...(after ? [] : [`deleted file mode ${before?.mode}`]),
    ...(hasModes ? [`old mode ${before.mode}`, `new mode ${after.mode}`] : []),
    ...(isEqual ? [] : [`index ${blobs}${before && after && !hasModes ? ` ${after.mode}` : ""}`]),
  ];
  if (isBinary(before) || isBinary(after)) {
    if (!isEqual) lines.push(`Binary files ${oldLabel} and ${newLabel} differ`);
  } else {
    const hunks = unifiedHunks(toLines(before), toLines(after));
    // A file can have more lines than a call accepts arguments.
    if (hunks.length > 0) lines = lines.concat(`--- ${ended(oldLabel)}`, `+++ ${ended(newLabel)}`, hunks);
  }
  return { path, isAdded: !before, isDeleted: !after, bytes: Buffer.from(`${lines.join("\n")}\n`, "latin1") };
}

const NO_OBJECT = "0".repeat(40);

/** Returns a name with a tab after it if it contains a space, as git writes it. */
function ended(label: string): string {
  return label.includes(" ") ? `${label}\t` : label;
}

function isBinary(content: FileContent | undefined): boolean {
  if (!content) return false;
  return content.bytes.length > MAX_TEXT_BYTES || content.bytes.subarray(0, BINARY_HEAD).includes(0);
}

/** Returns lines with their line feeds, one character for each byte. */
function toLines(content: FileContent | undefined): string[] {
  return content?.bytes.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A range of removed lines and the added lines in their position, by index. */
interface Change {
  readonly old: number;
  readonly oldEnd: number;
  readonly new: number;
  readonly newEnd: number;
}

function unifiedHunks(before: readonly string[], after: readonly string[]): string[] {
  const output: string[] = [];
  let group: Change[] = [];
  const flush = () => {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) return;
    const start = Math.max(0, first.old - CONTEXT);
    const newStart = first.new - (first.old - start);
    const end = Math.min(before.length, last.oldEnd + CONTEXT);
    const newEnd = last.newEnd + (end - last.oldEnd);
    output.push(`@@ -${formatRange(start, end)} +${formatRange(newStart, newEnd)} @@`);
    let at = start;
    for (const change of group) {
      push(output, " ", before.slice(at, change.old));
      push(output, "-", before.slice(change.old, change.oldEnd));
      push(output, "+", after.slice(change.new, change.newEnd));
      at = change.oldEnd;
    }
    push(output, " ", before.slice(at, end));
    group = [];
  };
  for (const change of changesBetween(before, after)) {
    if (group.length > 0 && change.old - (group.at(-1)?.oldEnd ?? 0) > CONTEXT * 2) flush();
    group.push(change);
  }
  flush();
  return output;
}

/** Returns `start,count`. The start of a range without lines is the line before it. */
function formatRange(start: number, end: number): string {
  return end === start ? `${start},0` : `${start + 1},${end - start}`;
}

function push(output: string[], sign: string, lines: readonly string[]): void {
  for (const line of lines) {
    if (line.endsWith("\n")) output.push(sign + line.slice(0, -1));
    else output.push(sign + line, "\\ No newline at end of file");
  }
}

function changesBetween(before: readonly string[], after: readonly string[]): Change[] {
  const shared = Math.min(before.length, after.length);
  let head = 0;
  while (head < shared && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shared - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const [oldEnd, newEnd] = [before.length - tail, after.length - tail];
  if (head === oldEnd && head === newEnd) return [];
  const whole = { old: head, oldEnd, new: head, newEnd };
  if (head === oldEnd || head === newEnd) return [whole];
  const changes: Change[] = [];
  let [old, added] = [head, head];
  for (const [nextOld, nextAdded] of [...pairLines(before, after, whole), [oldEnd, newEnd] as const]) {
    if (nextOld > old || nextAdded > added)
      changes.push({ old, oldEnd: nextOld, new: added, newEnd: nextAdded });
    [old, added] = [nextOld + 1, nextAdded + 1];
  }
  return changes;
}

/**
 * Returns the old and the new index of each unchanged line within a change. Like git, leaves out lines that only one
 * side has first, so that only reordered lines count as edits.
 */
function pairLines(before: readonly string[], after: readonly string[], within: Change): [number, number][] {
  const oldLines = new Set(before.slice(within.old, within.oldEnd));
  const newLines = new Set(after.slice(within.new, within.newEnd));
  const old = range(within.old, within.oldEnd).filter((index) => newLines.has(before[index] as string));
  const added = range(within.new, within.newEnd).filter((index) => oldLines.has(after[index] as string));
  const parts = diffArrays(
    old.map((index) => before[index]),
    added.map((index) => after[index]),
    { maxEditLength: MAX_EDITS },
  );
  const pairs: [number, number][] = [];
  let [fromOld, fromNew] = [0, 0];
  for (const { value, added: isAdded, removed: isRemoved } of parts ?? []) {
    if (!isAdded && !isRemoved)
      for (let offset = 0; offset < value.length; offset += 1)
        pairs.push([old[fromOld + offset] as number, added[fromNew + offset] as number]);
    if (!isAdded) fromOld += value.length;
    if (!isRemoved) fromNew += value.length;
  }
  return pairs;
}

/** Returns the whole numbers from `start` to below `end`. */
function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
