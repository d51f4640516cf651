/**
 * Marks a line break in the highlighter's records of a text, which are pairs of end offset and token type. Between
 * two lines there is a pair of the next line's start and `LINE_BREAK`. Offsets are in UTF-16 units.
 */
export const LINE_BREAK = 0xffff_ffff;

export interface Tokens {
  readonly records: Uint32Array;
  /** For each line, the index of its first record and the offset of its first character. */
  readonly lines: Uint32Array;
}

/** Finds the first record of each line. */
export function indexTokens(records: Uint32Array): Tokens {
  let count = 1;
  for (let at = 1; at < records.length; at += 2) if (records[at] === LINE_BREAK) count++;
  const lines = new Uint32Array(count * 2);
  let line = 0;
  for (let at = 0; at < records.length; at += 2) {
    if (records[at + 1] !== LINE_BREAK) continue;
    line++;
    lines[line * 2] = at + 2;
    lines[line * 2 + 1] = records[at] ?? 0;
  }
  return { records, lines };
}

/** Calls `visit` with the end column and token type of each run of a line. */
export function eachToken(tokens: Tokens, line: number, visit: (end: number, type: number) => void): void {
  if (line * 2 >= tokens.lines.length) return;
  const offset = tokens.lines[line * 2 + 1] ?? 0;
  for (let at = tokens.lines[line * 2] ?? 0; at < tokens.records.length; at += 2) {
    const type = tokens.records[at + 1] ?? 0;
    if (type === LINE_BREAK) return;
    visit((tokens.records[at] ?? 0) - offset, type);
  }
}
