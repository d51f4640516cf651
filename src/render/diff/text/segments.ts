import { type Deception, findDeceptions } from "../../markdown/deceptive.ts";
import { eachToken, type Tokens } from "./tokens.ts";
import type { Ranges } from "./word-diff.ts";

/** A run of one line's text with uniform style. */
export interface Segment {
  readonly text: string;
  /** The highlighter's token type; 0 is plain. */
  readonly type: number;
  readonly changed: boolean;
  /** Search state: 0 no match, 1 a match, 2 the current match. */
  readonly found: 0 | 1 | 2;
  /** A deceptive range that begins here: its name is shown beside it. */
  readonly deception?: Deception;
}

export interface LineMarks {
  /** The highlighting of the text around the line, and the line's index in it. */
  readonly tokens?: Tokens | undefined;
  readonly tokenLine?: number;
  readonly changed: Ranges;
  readonly found: Ranges;
  /** The start column of the current match. */
  readonly current?: number | undefined;
}

/**
 * Maximum shown length of a line in UTF-16 units. Longer lines are truncated unless the person requests the
 * rest.
 */
export const MAX_SHOWN_LINE = 2_000;

/**
 * Matches lines that may be deceptive, to skip the full search for most lines: characters beyond ASCII, controls, or
 * enough whitespace to push text out of sight.
 */
const SUSPECT = /[^\t -~]|[ \t]{40}/;
const NONE: readonly Deception[] = [];

/** Merges highlighting, changed words, search matches and deceptive ranges into ordered runs without gaps. */
export function splitSegments(text: string, marks: LineMarks): Segment[] {
  const ends: number[] = [];
  const types: number[] = [];
  if (marks.tokens) {
    eachToken(marks.tokens, marks.tokenLine ?? 0, (end, type) => {
      ends.push(end);
      types.push(type);
    });
  }
  const segments: Segment[] = [];
  const changedAt = rangeReader(marks.changed);
  const foundAt = rangeReader(marks.found);
  const deceptions = SUSPECT.test(text) ? findDeceptions(text, "none") : NONE;
  let deceived = 0;
  let at = 0;
  let token = 0;
  while (at < text.length) {
    while (token < ends.length && (ends[token] ?? 0) <= at) token++;
    const changed = changedAt(at);
    const found = foundAt(at);
    while ((deceptions[deceived]?.end ?? text.length) <= at) deceived++;
    const deception = deceptions[deceived];
    const border =
      deception === undefined ? text.length : deception.start > at ? deception.start : deception.end;
    const end = Math.min(ends[token] ?? text.length, changed.next, found.next, border);
    segments.push({
      text: text.slice(at, end),
      type: types[token] ?? 0,
      changed: changed.inside,
      found: found.inside ? (found.start === marks.current ? 2 : 1) : 0,
      ...(deception?.start === at && { deception }),
    });
    at = end;
  }
  return segments;
}

interface RangeAt {
  readonly inside: boolean;
  /** The column where `inside` next changes. */
  readonly next: number;
  /** The start of the range, or -1 outside of one. */
  readonly start: number;
}

/**
 * Returns a function that reports whether a column is in a range. Columns must be requested in ascending order, so
 * that a line with many matches is walked only once.
 */
function rangeReader(ranges: Ranges): (column: number) => RangeAt {
  let at = 0;
  return (column) => {
    while (at < ranges.length && (ranges[at + 1] ?? 0) <= column) at += 2;
    const start = ranges[at] ?? Number.POSITIVE_INFINITY;
    if (column < start) return { inside: false, next: start, start: -1 };
    return { inside: true, next: ranges[at + 1] ?? 0, start };
  };
}

/** Returns how many UTF-16 units of a line to show, without splitting a surrogate pair. */
export function shownLength(text: string, limit: number = MAX_SHOWN_LINE): number {
  if (text.length <= limit) return text.length;
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? limit - 1 : limit;
}
