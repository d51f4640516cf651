import { type LineLists, listLines } from "./line-lists.ts";
import type { ChangedLines, LineTable, Patches } from "./line-table.ts";
import { createSimilarity, type Similarity } from "./similarity.ts";

/** Removed lines that were added elsewhere: `length` lines from these indexes of the tables, in the same order. */
export interface Block {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/**
 * Minimum letters and digits of a block, as in `git diff --color-moved`: equal lines with fewer may be a
 * coincidence.
 */
const MIN_WEIGHT = 20;
/** Maximum removed lines that are compared with an added line of the same text. */
const MAX_CANDIDATES = 16;
/**
 * The search starts at unique lines, then at rare lines, then at all lines: a line that occurs everywhere
 * would otherwise be matched before the block around it is found.
 */
const CANDIDATE_LIMITS = [1, MAX_CANDIDATES, Number.POSITIVE_INFINITY];
/** Maximum edited lines between two unedited lines of the same block. */
const MAX_GAP = 4;
/** Maximum edited lines at each end of a block. */
const MAX_EDGE = 3;
const MIN_SIMILARITY_IN_GAP = 0.4;
const MIN_SIMILARITY_AT_EDGE = 0.6;
/** Lines or blocks that are examined between two yields. */
const LINES_PER_STEP = 2_048;

/** Finds moved lines in two steps: the second one needs the text of the files that the first one finds. */
export interface MoveSearch {
  /** Finds blocks of the same lines, ignoring indentation. */
  findBlocks(): Generator<void, readonly Block[]>;
  /**
   * Extends the found blocks by edited lines. Blocks in files that are absent from `patches` stay unchanged.
   */
  extendBlocks(patches: Patches): Generator<void, readonly Block[]>;
}

/**
 * Creates a search for removed lines that were added elsewhere. Each line is in at most one block. The search yields
 * often, so that the caller can let other work run.
 */
export function createMoveSearch(lines: ChangedLines): MoveSearch {
  const search = new Search(lines);
  return {
    *findBlocks() {
      const lists = yield* listLines(lines);
      for (const limit of CANDIDATE_LIMITS) {
        for (let to = 0; to < lines.added.count; ) {
          const until = Math.min(lines.added.count, to + LINES_PER_STEP);
          while (to < until) to = search.blockAt(to, limit, lists);
          yield;
        }
      }
      return search.blocks;
    },
    *extendBlocks(patches) {
      const similarity = createSimilarity(lines, patches);
      for (let index = 0; index < search.blocks.length; index++) {
        search.extend(index, similarity);
        if (index % LINES_PER_STEP === 0) yield;
      }
      return joinBlocks(lines, search.blocks);
    },
  };
}

class Search {
  readonly blocks: Block[] = [];
  private readonly removed: LineTable;
  private readonly added: LineTable;
  private readonly takenRemoved: Uint8Array;
  private readonly takenAdded: Uint8Array;

  constructor(lines: ChangedLines) {
    this.removed = lines.removed;
    this.added = lines.added;
    this.takenRemoved = new Uint8Array(lines.removed.count);
    this.takenAdded = new Uint8Array(lines.added.count);
  }

  /**
   * Finds a block that contains an added line, if at most `limit` removed lines have the same text. Returns the
   * index of the added line after the block, or of the next added line if there is no block.
   */
  blockAt(to: number, limit: number, lists: LineLists): number {
    const size = lists.size(to);
    if (size === 0 || size > limit || this.takenAdded[to]) return to + 1;
    const found = this.longestAt(to, lists);
    if (!found) return to + 1;
    // Lines before this one may belong to the block although they cannot start one, for example a brace.
    let back = 0;
    while (this.matches(found.from - back - 1, to - back - 1) && this.isJoined(found.from - back, to - back))
      back++;
    const block = { from: found.from - back, to: to - back, length: found.length + back };
    if (!this.isHeavy(block)) return to + 1;
    this.take(block);
    for (let step = 0; step < block.length; step++) lists.take(block.from + step);
    this.blocks.push(block);
    return to + found.length;
  }

  /** Returns the longest block that begins with an added line and one of the first removed lines with its text. */
  private longestAt(
    to: number,
    lists: LineLists,
  ): { readonly from: number; readonly length: number } | undefined {
    let best: { from: number; length: number } | undefined;
    let from = lists.first(to);
    for (let candidate = 0; candidate < MAX_CANDIDATES && from >= 0; candidate++, from = lists.next(from)) {
      if (!this.matches(from, to)) continue;
      let length = 1;
      while (this.isJoined(from + length, to + length) && this.matches(from + length, to + length)) length++;
      if (!best || length > best.length) best = { from, length };
    }
    return best;
  }

  /** Adds edited lines to a block, and the unedited lines that follow them, in both directions. */
  extend(index: number, similarity: Similarity): void {
    const block = this.blocks[index];
    if (!block) return;
    const after = this.reach(block.from + block.length - 1, block.to + block.length - 1, 1, similarity);
    const before = this.reach(block.from, block.to, -1, similarity);
    this.blocks[index] = {
      from: block.from - before,
      to: block.to - before,
      length: before + block.length + after,
    };
  }

  /** Extends a block at one end, in the direction of `step`. Returns the number of lines by which it grows. */
  private reach(fromEnd: number, toEnd: number, step: 1 | -1, similarity: Similarity): number {
    let reached = 0;
    for (;;) {
      const size = this.gapAfter(fromEnd + step * reached, toEnd + step * reached, step, similarity);
      if (size === 0) break;
      this.takeTowards(fromEnd + step * reached, toEnd + step * reached, step, size);
      reached += size;
    }
    for (let edge = 0; edge < MAX_EDGE; edge++) {
      const from = fromEnd + step * (reached + 1);
      const to = toEnd + step * (reached + 1);
      if (!this.follows(from, to, step) || similarity(from, to) < MIN_SIMILARITY_AT_EDGE) break;
      this.takeTowards(from - step, to - step, step, 1);
      reached += 1;
    }
    return reached;
  }

  /** Returns the number of lines up to the next unedited line, if all before it are similar; otherwise 0. */
  private gapAfter(from: number, to: number, step: 1 | -1, similarity: Similarity): number {
    for (let size = 1; size <= MAX_GAP + 1; size++) {
      const [nextFrom, nextTo] = [from + step * size, to + step * size];
      if (!this.follows(nextFrom, nextTo, step)) return 0;
      if (this.matches(nextFrom, nextTo)) return size;
      if (similarity(nextFrom, nextTo) < MIN_SIMILARITY_IN_GAP) return 0;
    }
    return 0;
  }

  private takeTowards(from: number, to: number, step: 1 | -1, length: number): void {
    const first = step > 0 ? 1 : -length;
    this.take({ from: from + first, to: to + first, length });
  }

  /**
   * Reports whether two lines are free, are not in the same run of changed lines, and follow the lines of a block in
   * the direction of `step`.
   */
  private follows(from: number, to: number, step: 1 | -1): boolean {
    if (from < 0 || to < 0 || from >= this.removed.count || to >= this.added.count) return false;
    if (this.takenRemoved[from] || this.takenAdded[to] || this.isSameGroup(from, to)) return false;
    return step > 0 ? this.isJoined(from, to) : this.isJoined(from + 1, to + 1);
  }

  /** Reports whether each of two lines directly follows the previous changed line in its file. */
  private isJoined(from: number, to: number): boolean {
    return isContinued(this.removed, from) && isContinued(this.added, to);
  }

  /** Reports whether two lines are free and have the same text. Indentation counts only within one run of changes. */
  private matches(from: number, to: number): boolean {
    if (from < 0 || to < 0 || from >= this.removed.count || to >= this.added.count) return false;
    if (this.takenRemoved[from] || this.takenAdded[to]) return false;
    if (this.removed.hash[from] !== this.added.hash[to]) return false;
    if (this.removed.check[from] !== this.added.check[to]) return false;
    // A line whose indentation alone changed has not moved; lines within one change can be reordered.
    return !this.isSameGroup(from, to) || this.removed.exact[from] === this.added.exact[to];
  }

  private isSameGroup(from: number, to: number): boolean {
    return this.removed.group[from] === this.added.group[to];
  }

  private isHeavy({ to, length }: Block): boolean {
    let weight = 0;
    for (let step = 0; step < length && weight < MIN_WEIGHT; step++)
      weight += this.added.weight[to + step] ?? 0;
    return weight >= MIN_WEIGHT;
  }

  private take({ from, to, length }: Block): void {
    this.takenRemoved.fill(1, from, from + length);
    this.takenAdded.fill(1, to, to + length);
  }
}

function isContinued({ file, number, count }: LineTable, index: number): boolean {
  if (index <= 0 || index >= count) return false;
  return file[index] === file[index - 1] && number[index] === (number[index - 1] ?? 0) + 1;
}

/** Joins blocks that continue each other, and orders them by their new position. */
function joinBlocks({ removed, added }: ChangedLines, blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks.toSorted((one, other) => one.to - other.to)) {
    const last = joined.at(-1);
    const continues =
      last !== undefined &&
      last.from + last.length === block.from &&
      last.to + last.length === block.to &&
      isContinued(removed, block.from) &&
      isContinued(added, block.to);
    if (continues) joined[joined.length - 1] = { ...last, length: last.length + block.length };
    else joined.push(block);
  }
  return joined;
}
