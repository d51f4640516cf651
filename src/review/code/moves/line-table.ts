/** The removed or the added lines of a whole diff, in its order, as typed arrays instead of an object for each line. */
export interface LineTable {
  /** The number of lines. */
  count: number;
  /** Index of the line's file in the diff. */
  file: Uint32Array;
  /** Line number from 1, on the side of the table. */
  number: Uint32Array;
  /** The run of changed lines that contains the line; the same number in both tables. */
  group: Uint32Array;
  /** Offsets of the text in the file's patch, in bytes: after the marker, and before the newline. */
  start: Uint32Array;
  end: Uint32Array;
  /** Two hashes of the text without its indentation and trailing whitespace. */
  hash: Uint32Array;
  check: Uint32Array;
  /** A hash of the whole text. */
  exact: Uint32Array;
  /** Letters, digits and bytes beyond ASCII in the text, at most 255. */
  weight: Uint8Array;
}

/** The changed lines of a diff. */
export interface ChangedLines {
  readonly removed: LineTable;
  readonly added: LineTable;
  /** The number of runs of changed lines. */
  groups: number;
}

/** Patches by the index of their file in the diff. */
export type Patches = ReadonlyMap<number, Buffer>;

/** Constants of the hash FNV-1a. */
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
const NEWLINE = 10;
const RETURN = 13;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
/** Maximum bytes of the numbers in a hunk header. */
const HEADER_BYTES = 100;

/** Returns tables without lines. */
export function createChangedLines(): ChangedLines {
  return { removed: emptyTable(1_024), added: emptyTable(1_024), groups: 0 };
}

/** Adds the changed lines of a file's patch. Takes time in proportion to its bytes. */
export function addPatch(lines: ChangedLines, file: number, patch: Buffer): void {
  let at = 0;
  while (at < patch.length) {
    const end = endOfLine(patch, at);
    const header =
      patch[at] === 64 && HUNK.exec(patch.toString("latin1", at, Math.min(end, at + HEADER_BYTES)));
    at = end + 1;
    if (header) at = addHunk(lines, file, patch, { at, header });
  }
}

function addHunk(
  lines: ChangedLines,
  file: number,
  patch: Buffer,
  { at: first, header }: { readonly at: number; readonly header: RegExpExecArray },
): number {
  let at = first;
  let oldNumber = Number(header[1]);
  let newNumber = Number(header[3]);
  let oldLeft = Number(header[2] ?? 1);
  let newLeft = Number(header[4] ?? 1);
  let isContext = true;
  while (at < patch.length && (oldLeft > 0 || newLeft > 0)) {
    const end = endOfLine(patch, at);
    const marker = patch[at];
    if (marker === 45 || marker === 43) {
      if (isContext) lines.groups += 1;
      isContext = false;
      const table = marker === 45 ? lines.removed : lines.added;
      const number = marker === 45 ? oldNumber : newNumber;
      addLine(table, patch, { file, number, group: lines.groups, start: at + 1, end });
    } else if (marker !== 92) {
      isContext = true;
    }
    if (marker !== 43 && marker !== 92) {
      oldNumber += 1;
      oldLeft -= 1;
    }
    if (marker !== 45 && marker !== 92) {
      newNumber += 1;
      newLeft -= 1;
    }
    at = end + 1;
  }
  return at;
}

function addLine(
  table: LineTable,
  patch: Buffer,
  line: {
    readonly file: number;
    readonly number: number;
    readonly group: number;
    readonly start: number;
    readonly end: number;
  },
): void {
  if (table.count === table.file.length) grow(table);
  const at = table.count++;
  table.file[at] = line.file;
  table.number[at] = line.number;
  table.group[at] = line.group;
  table.start[at] = line.start;
  table.end[at] = line.end;
  let from = line.start;
  let to = line.end;
  let exact = SEED;
  for (let index = from; index < to; index++) exact = Math.imul(exact ^ (patch[index] ?? 0), PRIME);
  table.exact[at] = exact;
  while (from < to && isSpace(patch[from] ?? 0)) from++;
  while (to > from && isSpace(patch[to - 1] ?? 0)) to--;
  let hash = SEED;
  let check = 0x9747b28c;
  let weight = 0;
  for (let index = from; index < to; index++) {
    const byte = patch[index] ?? 0;
    hash = Math.imul(hash ^ byte, PRIME);
    check = Math.imul(check + byte, 0x85ebca6b) ^ (check >>> 13);
    weight += WEIGHTS[byte] ?? 0;
  }
  table.hash[at] = hash;
  table.check[at] = check;
  table.weight[at] = Math.min(255, weight);
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === RETURN;
}

/** Contains 1 for the bytes of letters, digits and characters beyond ASCII. */
const WEIGHTS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > 127 || /[a-z0-9]/i.test(String.fromCharCode(byte)) ? 1 : 0,
);

function endOfLine(patch: Buffer, from: number): number {
  const end = patch.indexOf(NEWLINE, from);
  return end < 0 ? patch.length : end;
}

function emptyTable(length: number): LineTable {
  return {
    count: 0,
    file: new Uint32Array(length),
    number: new Uint32Array(length),
    group: new Uint32Array(length),
    start: new Uint32Array(length),
    end: new Uint32Array(length),
    hash: new Uint32Array(length),
    check: new Uint32Array(length),
    exact: new Uint32Array(length),
    weight: new Uint8Array(length),
  };
}

/** Doubles the arrays, so that adding a line takes constant time on average. */
function grow(table: LineTable): void {
  const before = { ...table };
  Object.assign(table, emptyTable(table.file.length * 2), { count: table.count });
  table.file.set(before.file);
  table.number.set(before.number);
  table.group.set(before.group);
  table.start.set(before.start);
  table.end.set(before.end);
  table.hash.set(before.hash);
  table.check.set(before.check);
  table.exact.set(before.exact);
  table.weight.set(before.weight);
}
