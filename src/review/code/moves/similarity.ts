import type { ChangedLines, LineTable, Patches } from "./line-table.ts";

/** Maximum bytes of a line that are compared. */
const MAX_BYTES = 400;
const WORD = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/**
 * Compares the words of a removed and an added line, in any order: 0 if they have no word in common or one of the lines
 * has no letters or digits, 1 if they have the same words.
 */
export type Similarity = (from: number, to: number) => number;

/**
 * Creates a comparison for the lines of a diff. Lines of files without a patch are not similar to any other.
 */
export function createSimilarity({ removed, added }: ChangedLines, patches: Patches): Similarity {
  const tokensIn = (table: LineTable, line: number): string[] => {
    const start = table.start[line] ?? 0;
    const end = Math.min(table.end[line] ?? 0, start + MAX_BYTES);
    return (
      patches
        .get(table.file[line] ?? -1)
        ?.toString("utf8", start, end)
        .match(WORD) ?? []
    );
  };
  return (from, to) => {
    const before = tokensIn(removed, from);
    const after = tokensIn(added, to);
    // Two lines that share only punctuation are not similar.
    if (!hasLetters(removed.weight[from]) || !hasLetters(added.weight[to])) return 0;
    const counts = new Map<string, number>();
    for (const word of before) counts.set(word, (counts.get(word) ?? 0) + 1);
    let common = 0;
    for (const word of after) {
      const left = counts.get(word) ?? 0;
      if (left === 0) continue;
      counts.set(word, left - 1);
      common += 1;
    }
    return (2 * common) / Math.max(1, before.length + after.length);
  };
}

const hasLetters = (weight: number | undefined) => (weight ?? 0) > 0;

/** Reports whether a removed and an added line are identical. Compares their hashes if a patch is absent. */
export function isSameText(
  { removed, added }: ChangedLines,
  patches: Patches,
  from: number,
  to: number,
): boolean {
  const before = patches.get(removed.file[from] ?? -1);
  const after = patches.get(added.file[to] ?? -1);
  if (!before || !after)
    return (
      removed.hash[from] === added.hash[to] &&
      removed.check[from] === added.check[to] &&
      removed.exact[from] === added.exact[to]
    );
  return before.compare(after, added.start[to], added.end[to], removed.start[from], removed.end[from]) === 0;
}
