import type { ParsedCell } from "./parse-notebook.ts";

/** Minimum share of common lines or words for two cells to count as versions of the same cell. */
const MIN_SHARED_LINES = 0.4;
const MIN_SHARED_PROSE = 0.5;
/** Maximum pairs of cells that are compared by their lines or words. */
const MAX_PAIRS = 20_000;

/** A cell that is in both notebooks: its index in the old and in the new one. */
export interface CellPair {
  readonly old: number;
  readonly new: number;
  /**
   * Whether the cell has moved: it is not in the longest sequence of matched cells that has the same order in both
   * notebooks.
   */
  readonly moved: boolean;
}

/**
 * Finds the cells that are in both notebooks: by their ids, then by their content, then, among the cells between two
 * matched ones, by shared lines or words. A cell is in one pair at most. Returns the pairs in the order of the new
 * notebook.
 */
export function matchCells(before: readonly ParsedCell[], after: readonly ParsedCell[]): CellPair[] {
  const oldOf = new Map<number, number>();
  const taken = new Set<number>();
  const pair = (old: number, now: number) => {
    oldOf.set(now, old);
    taken.add(old);
  };
  for (const key of [idOf, contentOf]) {
    const waiting = new Map<string, number[]>();
    for (const [index, cell] of before.entries()) {
      const name = taken.has(index) ? undefined : key(cell);
      if (name !== undefined) waiting.set(name, [...(waiting.get(name) ?? []), index]);
    }
    for (const [index, cell] of after.entries()) {
      const name = oldOf.has(index) ? undefined : key(cell);
      const old = name === undefined ? undefined : waiting.get(name)?.shift();
      if (old !== undefined) pair(old, index);
    }
  }
  let left = MAX_PAIRS;
  for (const gap of findGaps(oldOf, before.length, after.length)) {
    left -= gap.old.length * gap.new.length;
    if (left < 0) break;
    pairSimilar(gap, before, after, pair);
  }
  return markMoved([...oldOf].sort(([a], [b]) => a - b));
}

function idOf({ id }: ParsedCell): string | undefined {
  return id;
}

/**
 * Returns a key of a cell's kind and content; undefined for an empty cell, whose content does not identify
 * it.
 */
function contentOf({ kind, source }: ParsedCell): string | undefined {
  return source.length === 0 ? undefined : `${kind}\n${source.map(({ text }) => text).join("\n")}`;
}

interface CellGap {
  readonly old: readonly number[];
  readonly new: readonly number[];
}

/** Returns the unmatched cells between matched ones that are in the same order in both notebooks. */
function findGaps(oldOf: ReadonlyMap<number, number>, oldCount: number, newCount: number): CellGap[] {
  const inOrder = markMoved([...oldOf].sort(([a], [b]) => a - b)).filter(({ moved }) => !moved);
  const matchedOld = new Set(oldOf.values());
  const gaps: CellGap[] = [];
  let [oldFrom, newFrom] = [0, 0];
  for (const end of [...inOrder, { old: oldCount, new: newCount }]) {
    gaps.push({
      old: numbers(oldFrom, end.old).filter((index) => !matchedOld.has(index)),
      new: numbers(newFrom, end.new).filter((index) => !oldOf.has(index)),
    });
    [oldFrom, newFrom] = [end.old + 1, end.new + 1];
  }
  return gaps;
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, step) => from + step);
}

/** Pairs the most similar cells first. */
function pairSimilar(
  gap: CellGap,
  before: readonly ParsedCell[],
  after: readonly ParsedCell[],
  pair: (old: number, now: number) => void,
): void {
  const found = gap.old.flatMap((old) =>
    gap.new.map((now) => ({ old, now, score: similarity(before[old], after[now]) })),
  );
  const likely = found.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  const [usedOld, usedNew] = [new Set<number>(), new Set<number>()];
  for (const { old, now } of likely) {
    if (usedOld.has(old) || usedNew.has(now)) continue;
    usedOld.add(old);
    usedNew.add(now);
    pair(old, now);
  }
}

/**
 * Returns the share of lines that two cells have in common; 0 if it is too small or the cells differ in kind. Compares
 * prose and single lines by their words.
 */
function similarity(before: ParsedCell | undefined, after: ParsedCell | undefined): number {
  if (!before || !after || before.kind !== after.kind) return 0;
  const isProse = before.kind !== "code" || (before.source.length <= 1 && after.source.length <= 1);
  const [left, right] = [before, after].map(({ source }) => {
    const texts = source.map(({ text }) => text.trim()).filter((text) => text !== "");
    return isProse ? texts.flatMap((text) => text.match(/\w+/g) ?? []) : texts;
  }) as [string[], string[]];
  const total = left.length + right.length;
  if (total === 0) return 1;
  const counts = new Map<string, number>();
  for (const text of left) counts.set(text, (counts.get(text) ?? 0) + 1);
  let shared = 0;
  for (const text of right) {
    const count = counts.get(text) ?? 0;
    if (count === 0) continue;
    counts.set(text, count - 1);
    shared += 1;
  }
  const share = (2 * shared) / total;
  return share < (isProse ? MIN_SHARED_PROSE : MIN_SHARED_LINES) ? 0 : share;
}

/** Marks a cell as moved if it is outside of the longest sequence that has the same order in both notebooks. */
function markMoved(pairs: readonly (readonly [now: number, old: number])[]): CellPair[] {
  // Patience sorting: `ends[n]` is the position of the smallest last old index of all sequences of n + 1 cells.
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [at, [, old]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < old) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = at;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) kept.add(at);
  return pairs.map(([now, old], at) => ({ old, new: now, moved: !kept.has(at) }));
}
