import type { ChangedLines, LineTable } from "./line-table.ts";

/** Minimum letters and digits of a line with which the search for a block starts. */
const MIN_SEED_WEIGHT = 4;
/** Lines that are examined between two yields. */
const LINES_PER_STEP = 16_384;
const NONE = -1;

/** Lists of the free removed lines, which are in no block yet: one for each text, in the order of the diff. */
export interface LineLists {
  /** Returns the number of free removed lines with the text of an added line. */
  size(added: number): number;
  /** Returns the first free removed line with the text of an added line; -1 if there is none. */
  first(added: number): number;
  /** Returns the next free removed line with the same text; -1 if there is none. */
  next(removed: number): number;
  /** Takes a removed line out of its list. */
  take(removed: number): void;
}

/**
 * Groups the lines by their text, without regard to indentation. The lists leave out lines that cannot start a block,
 * and removed lines that were certainly not added, which are usually most of a diff.
 */
export function* listLines({ removed, added }: ChangedLines): Generator<void, LineLists> {
  const addedTexts = new TextFilter(added.count);
  for (let index = 0; index < added.count; index++) {
    if ((added.weight[index] ?? 0) >= MIN_SEED_WEIGHT) addedTexts.add(added.hash[index] ?? 0);
    if (index % LINES_PER_STEP === 0) yield;
  }
  const candidates = new Uint32Array(removed.count);
  let count = 0;
  for (let index = 0; index < removed.count; index++) {
    if ((removed.weight[index] ?? 0) >= MIN_SEED_WEIGHT && addedTexts.mayHave(removed.hash[index] ?? 0))
      candidates[count++] = index;
    if (index % LINES_PER_STEP === 0) yield;
  }
  const texts = new Texts(removed, count);
  const listOfRemoved = new Int32Array(removed.count).fill(NONE);
  const after = new Int32Array(removed.count).fill(NONE);
  const before = new Int32Array(removed.count).fill(NONE);
  // Iterates backward, so that each list is in the order of the diff.
  for (let at = count - 1; at >= 0; at--) {
    const index = candidates[at] ?? 0;
    const list = texts.add(index);
    const first = texts.first[list] ?? NONE;
    listOfRemoved[index] = list;
    after[index] = first;
    if (first >= 0) before[first] = index;
    texts.first[list] = index;
    texts.size[list] = (texts.size[list] ?? 0) + 1;
    if (at % LINES_PER_STEP === 0) yield;
  }
  const listOfAdded = new Int32Array(added.count).fill(NONE);
  for (let index = 0; index < added.count; index++) {
    if ((added.weight[index] ?? 0) >= MIN_SEED_WEIGHT) listOfAdded[index] = texts.find(added, index);
    if (index % LINES_PER_STEP === 0) yield;
  }
  return {
    size(line) {
      const list = listOfAdded[line] ?? NONE;
      return list < 0 ? 0 : (texts.size[list] ?? 0);
    },
    first(line) {
      const list = listOfAdded[line] ?? NONE;
      return list < 0 ? NONE : (texts.first[list] ?? NONE);
    },
    next: (line) => after[line] ?? NONE,
    take(line) {
      const list = listOfRemoved[line] ?? NONE;
      if (list < 0) return;
      const previous = before[line] ?? NONE;
      const next = after[line] ?? NONE;
      if (next >= 0) before[next] = previous;
      if (previous >= 0) after[previous] = next;
      else texts.first[list] = next;
      texts.size[list] = (texts.size[list] ?? 0) - 1;
    },
  };
}

/** A Bloom filter with one bit per hash: `mayHave` returns true for every hash that was added, and for few others. */
class TextFilter {
  private readonly bits: Uint32Array;
  private readonly mask: number;

  /** At most a sixteenth of the bits are set. */
  constructor(count: number) {
    const size = 2 ** Math.min(31, Math.ceil(Math.log2(Math.max(64, count * 16))));
    this.bits = new Uint32Array(size / 32);
    this.mask = size - 1;
  }

  add(hash: number): void {
    const bit = hash & this.mask;
    this.bits[bit >>> 5] = (this.bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  mayHave(hash: number): boolean {
    const bit = hash & this.mask;
    return ((this.bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }
}

/** The different texts of removed lines, numbered from 0. */
class Texts {
  /** The first line and the number of lines, by the number of their text. */
  readonly first: Int32Array;
  readonly size: Int32Array;
  private count = 0;
  private readonly table: LineTable;
  /** Hash table with linear probing. At most half of the slots are in use. */
  private readonly slots: Int32Array;
  private readonly hash: Uint32Array;
  private readonly check: Uint32Array;

  constructor(table: LineTable, maxCount: number) {
    this.table = table;
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(16, maxCount * 2)))).fill(NONE);
    this.first = new Int32Array(maxCount).fill(NONE);
    this.size = new Int32Array(maxCount);
    this.hash = new Uint32Array(maxCount);
    this.check = new Uint32Array(maxCount);
  }

  /** Returns the number of the text of a removed line: a new number if no earlier line has the same text. */
  add(line: number): number {
    const hash = this.table.hash[line] ?? 0;
    const check = this.table.check[line] ?? 0;
    const slot = this.slotOf(hash, check);
    const known = this.slots[slot] ?? NONE;
    if (known >= 0) return known;
    this.slots[slot] = this.count;
    this.hash[this.count] = hash;
    this.check[this.count] = check;
    this.count += 1;
    return this.count - 1;
  }

  /** Returns the number of the text of a line of another table; -1 if no removed line has that text. */
  find({ hash, check }: LineTable, line: number): number {
    return this.slots[this.slotOf(hash[line] ?? 0, check[line] ?? 0)] ?? NONE;
  }

  /** Returns the slot of a text, or the free slot where it belongs. */
  private slotOf(hash: number, check: number): number {
    const mask = this.slots.length - 1;
    for (let slot = (hash ^ (check >>> 7)) & mask; ; slot = (slot + 1) & mask) {
      const text = this.slots[slot] ?? NONE;
      if (text < 0 || (this.hash[text] === hash && this.check[text] === check)) return slot;
    }
  }
}
