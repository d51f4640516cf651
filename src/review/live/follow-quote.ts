import type { AnchorContext } from "./session-log.ts";

/** Offsets in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Characters that are kept before and after a quote. */
const CONTEXT_CHARACTERS = 60;
/** Minimum equal characters around a quote that is short or occurs several times, for it to be found again. */
const MIN_EQUAL = 6;
/** A quote of at least this length that occurs once is found again even if its surroundings have changed. */
const MIN_DISTINCT = 12;

/** Returns the text before and after a range. */
export function quoteContext(text: string, { start, end }: TextRange): AnchorContext {
  return {
    before: [text.slice(Math.max(0, start - CONTEXT_CHARACTERS), start)],
    after: [text.slice(end, end + CONTEXT_CHARACTERS)],
  };
}

/** Returns the position of a range in a later version of the text, or undefined if the change touches it. */
export function followRange(before: string, after: string, { start, end }: TextRange): TextRange | undefined {
  const shared = Math.min(before.length, after.length);
  let head = 0;
  while (head < shared && before[head] === after[head]) head += 1;
  if (end <= head) return { start, end };
  let tail = 0;
  while (tail < shared - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const shift = after.length - before.length;
  return start >= before.length - tail ? { start: start + shift, end: end + shift } : undefined;
}

/**
 * Finds a quote by its text and its surroundings. If it occurs several times, returns the occurrence with the most
 * equal text around it, then the nearest one. A quote that is short or occurs several times is found only if at least
 * `MIN_EQUAL` characters around it, or all that were kept, are equal.
 */
export function findQuote(
  text: string,
  quote: string,
  { before, after }: AnchorContext,
  near: number,
): TextRange | undefined {
  if (quote === "") return undefined;
  const [lead = "", rest = ""] = [before[0], after[0]];
  let best: { at: number; score: number } | undefined;
  let count = 0;
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    count += 1;
    const score =
      equalEnd(lead, text.slice(Math.max(0, at - lead.length), at)) +
      equalStart(rest, text.slice(at + quote.length, at + quote.length + rest.length));
    const isNearer = best !== undefined && Math.abs(at - near) < Math.abs(best.at - near);
    if (!best || score > best.score || (score === best.score && isNearer)) best = { at, score };
  }
  if (!best) return undefined;
  const isDistinct = count === 1 && quote.length >= MIN_DISTINCT;
  const isSurrounded = best.score >= Math.min(MIN_EQUAL, lead.length + rest.length);
  return isDistinct || isSurrounded ? { start: best.at, end: best.at + quote.length } : undefined;
}

function equalStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function equalEnd(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}
