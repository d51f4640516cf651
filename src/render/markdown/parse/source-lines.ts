/** Finds offsets and line numbers in a text whose lines end in LF, CRLF or CR. */
export interface SourceLines {
  /** Text of a line, counted from 0, without its end. */
  text(line: number): string;
  /** Offset of a line's first character. */
  start(line: number): number;
  /** Offset behind a line's last character. */
  end(line: number): number;
  /** The line, counted from 0, that an offset lies on. */
  at(offset: number): number;
  readonly count: number;
}

/** Cuts a text at its line ends, whichever they are. */
export function sourceLines(source: string): SourceLines {
  const starts = [0];
  const ends: number[] = [];
  for (const match of source.matchAll(/\r\n|\n|\r/g)) {
    ends.push(match.index);
    starts.push(match.index + match[0].length);
  }
  ends.push(source.length);
  const start = (line: number) => starts[line] ?? source.length;
  const end = (line: number) => ends[line] ?? source.length;
  return {
    start,
    end,
    text: (line) => source.slice(start(line), end(line)),
    at: (offset) => lastNotBehind(starts, offset),
    count: starts.length,
  };
}

/** Position of the last of some ascending starts that is not behind `offset`; of the first where all are. */
export function lastNotBehind(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? Number.POSITIVE_INFINITY) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
