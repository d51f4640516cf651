/** The removed or the added lines of a whole diff, in its order, as typed arrays instead of an object for each line. */
export interface LineTable {
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
  /** A hash of the indentation and the trailing whitespace. */
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

/** Constants of the FNV-1a hash. */
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
/** Initial value of the second hash. */
const CHECK_SEED = 0x9747b28c;
const NEWLINE = 10;
const RETURN = 13;
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
/** Maximum bytes of the numbers in a hunk header. */
const HEADER_BYTES = 100;

/** Returns tables without lines. The tables grow if there are more lines than expected. */
export function createChangedLines(expected = { removed: 1_024, added: 1_024 }): ChangedLines {
  const sized = (length: number) => emptyTable(Math.max(16, length));
  return { removed: sized(expected.removed), added: sized(expected.added), groups: 0 };
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
  const oldEnd = oldNumber + Number(header[2] ?? 1);
  const newEnd = newNumber + Number(header[4] ?? 1);
  let isContext = true;
  while (at < patch.length && (oldNumber < oldEnd || newNumber < newEnd)) {
    const marker = patch[at];
    if (marker === 45 || marker === 43) {
      if (isContext) lines.groups += 1;
      isContext = false;
      const table = marker === 45 ? lines.removed : lines.added;
      const number = marker === 45 ? oldNumber++ : newNumber++;
      at = addLine(table, patch, { file, number, group: lines.groups, start: at + 1 }) + 1;
      continue;
    }
    // A backslash begins git's marker `\ No newline at end of file` for the line before.
    if (marker !== 92) {
      isContext = true;
      oldNumber += 1;
      newNumber += 1;
    }
    // Most lines are so short that calling `indexOf` would take longer than this loop.
    while (at < patch.length && patch[at] !== NEWLINE) at++;
    at += 1;
  }
  return at;
}

/** Adds the line that starts at an offset. Returns the offset of its newline, or the end of the patch. */
function addLine(
  table: LineTable,
  patch: Buffer,
  line: { readonly file: number; readonly number: number; readonly group: number; readonly start: number },
): number {
  if (table.count === table.file.length) grow(table);
  let exact = SEED;
  let at = line.start;
  for (; isSpace(patch[at] ?? NEWLINE); at++) exact = Math.imul(exact ^ (patch[at] ?? 0), PRIME);
  let hash = SEED;
  let check = CHECK_SEED;
  let weight = 0;
  let textEnd = at;
  // These hashes include whitespace that may turn out to be trailing.
  let hashHere = hash;
  let checkHere = check;
  for (; at < patch.length; at++) {
    const byte = patch[at] ?? 0;
    if (byte === NEWLINE) break;
    hashHere = Math.imul(hashHere ^ byte, PRIME);
    checkHere = Math.imul(checkHere + byte, 0x85ebca6b) ^ (checkHere >>> 13);
    if (isSpace(byte)) continue;
    weight += WEIGHTS[byte] ?? 0;
    hash = hashHere;
    check = checkHere;
    textEnd = at + 1;
  }
  exact = Math.imul(exact, PRIME);
  for (let index = textEnd; index < at; index++) exact = Math.imul(exact ^ (patch[index] ?? 0), PRIME);
  const index = table.count++;
  table.file[index] = line.file;
  table.number[index] = line.number;
  table.group[index] = line.group;
  table.start[index] = line.start;
  table.end[index] = at;
  table.hash[index] = hash;
  table.check[index] = check;
  table.exact[index] = exact;
  table.weight[index] = Math.min(255, weight);
  return at;
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

/** Doubles the arrays, so that adding a line takes amortized constant time. */
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
