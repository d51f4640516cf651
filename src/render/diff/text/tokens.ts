/**
 * Highlighting of one text, as the highlighter's records: pairs of end offset and token type, and between two
 * lines a pair of the next line's start and `LINE_BREAK`. Offsets in UTF-16 units.
 */
export const LINE_BREAK = 0xffff_ffff;

export interface Tokens {
  readonly records: Uint32Array;
  /** For each line, the index of its first record and the offset of its first character. */
  readonly lines: Uint32Array;
}

/** Finds where each line's records start. */
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

/** Calls back with each run of a line: its end column and its token type. */
export function eachToken(tokens: Tokens, line: number, visit: (end: number, type: number) => void): void {
  if (line * 2 >= tokens.lines.length) return;
  const offset = tokens.lines[line * 2 + 1] ?? 0;
  for (let at = tokens.lines[line * 2] ?? 0; at < tokens.records.length; at += 2) {
    const type = tokens.records[at + 1] ?? 0;
    if (type === LINE_BREAK) return;
    visit((tokens.records[at] ?? 0) - offset, type);
  }
}
