import { diffArrays } from "diff/lib/diff/array.js";
import { isSameValue } from "./merge-by-id.ts";

/** Maximum number of edits between two versions. With more edits, no lines count as unchanged. */
const MAX_EDITS = 3_000;

/**
 * Merges two tabs' versions of a long text by lines. `base` is their common ancestor. A change in only one tab is kept.
 * Where both tabs have changed the same lines, both versions are kept, one after the other, so that no text is lost.
 * Pure.
 */
export function mergeLines(base: string, mine: string, theirs: string): string {
  const [before, own, other] = [base.split("\n"), mine.split("\n"), theirs.split("\n")];
  const [inOwn, inOther] = [keptLines(before, own), keptLines(before, other)];
  const merged: string[] = [];
  let [from, ownFrom, otherFrom] = [0, 0, 0];
  for (let line = 0; line <= before.length; line += 1) {
    const isEnd = line === before.length;
    const [ownLine, otherLine] = isEnd ? [own.length, other.length] : [inOwn.get(line), inOther.get(line)];
    if (ownLine === undefined || otherLine === undefined) continue;
    const changed = mergeChange(
      before.slice(from, line),
      own.slice(ownFrom, ownLine),
      other.slice(otherFrom, otherLine),
    );
    for (const each of changed) merged.push(each);
    if (!isEnd) merged.push(before[line] ?? "");
    [from, ownFrom, otherFrom] = [line + 1, ownLine + 1, otherLine + 1];
  }
  return merged.join("\n");
}

type Lines = readonly string[];

/** Returns the indexes of the lines that `after` has kept from `before`, by their indexes in `before`. */
function keptLines(before: Lines, after: Lines): Map<number, number> {
  const kept = new Map<number, number>();
  let [from, to] = [0, 0];
  const parts = diffArrays([...before], [...after], { maxEditLength: MAX_EDITS }) ?? [];
  for (const { added, removed, value } of parts) {
    if (!added && !removed)
      for (let step = 0; step < value.length; step += 1) kept.set(from + step, to + step);
    if (!added) from += value.length;
    if (!removed) to += value.length;
  }
  return kept;
}

/** Merges two versions of lines that at least one tab has changed. */
function mergeChange(base: Lines, mine: Lines, theirs: Lines): Lines {
  if (isSameValue(mine, theirs) || isSameValue(mine, base)) return theirs;
  return isSameValue(theirs, base) ? mine : [...theirs, ...mine];
}
