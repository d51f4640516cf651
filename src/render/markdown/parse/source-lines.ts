import type { Token } from "markdown-it";
/** Finds offsets and line numbers in a text whose lines end in LF, CRLF or CR. */
export interface SourceLines {
  /** Returns the text of a line, counted from 0, without its line ending. */
  text(line: number): string;
  /** Returns the offset of a line's first character. */
  start(line: number): number;
  /** Returns the offset after a line's last character. */
  end(line: number): number;
  /** Returns the line, counted from 0, that contains an offset. */
  at(offset: number): number;
  readonly count: number;
}

/** Splits a text into lines at LF, CRLF or CR. */
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

/** Returns the index of the last of the ascending `starts` that is at most `offset`, or 0 if all are greater. */
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

/**
 * Finds YAML front matter that ends within the first 200 lines. `body` is the source with the lines of the front matter
 * blank, so that line numbers do not change.
 */
export function takeFrontMatter(
  source: string,
  lines: SourceLines,
): { readonly frontMatterLines: number; readonly body: string } {
  const none = { frontMatterLines: 0, body: source };
  if (lines.text(0).trimEnd() !== "---" || !/^[\w-]+\s*:/.test(lines.text(1))) return none;
  for (let line = 2; line < Math.min(lines.count, 200); line += 1) {
    if (/^(---|\.\.\.)\s*$/.test(lines.text(line))) {
      const rest = source.slice(lines.end(line));
      return { frontMatterLines: line + 1, body: "\n".repeat(line) + rest };
    }
  }
  return none;
}

/**
 * Returns the lines that Markdown does not render, as ranges from 0 with exclusive ends: link definitions, which can
 * hide text (`[//]: # (a note to the agent)`), and footnotes without references.
 */
export function findUnrenderedLines(
  tokens: readonly Token[],
  body: string,
  count: number,
): [number, number][] {
  const drawn = new Uint8Array(count + 1);
  for (const { type, map, meta } of tokens) {
    if (map && DRAWN.has(type)) drawn.fill(1, map[0], map[1]);
    if (map && type === "details_open") {
      if (meta?.opensAlone) drawn[map[0]] = 1;
      if (meta?.closesAlone) drawn[map[1] - 1] = 1;
    }
  }
  const ranges: [number, number][] = [];
  for (const [line, text] of body.split(/\r\n|\n|\r/).entries()) {
    // Blank, or only the markers of a quote or a list.
    if (drawn[line] === 1 || /^[\s>*+-]*(?:\d+[.)]\s*)?$/.test(text)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === line) last[1] = line + 1;
    else ranges.push([line, line + 1]);
  }
  return ranges;
}

const DRAWN = new Set([
  "inline",
  "heading_open",
  "fence",
  "code_block",
  "hr",
  "table_open",
  "paragraph_open",
]);
