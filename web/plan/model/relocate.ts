import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import { lastNotBehind } from "../../../src/render/markdown/parse/source-lines.ts";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { documentText, drawnRanges, pointInText, removedAnchor, sourceOffset, toAnchor } from "./anchor.ts";

/**
 * Finds an anchor in another version of the plan by its quote; for removed text, by the text around it. Of several
 * matches, returns the one with the most similar context. Returns undefined if the plan no longer contains the text.
 */
export function relocate(document: MarkdownDocument, anchor: PlanAnchor): PlanAnchor | undefined {
  if (anchor.removed) return positionAround(document, anchor);
  const best = bestMatch(document, anchor.quote, anchor);
  if (!best) return undefined;
  return toAnchor(document, {
    first: pointInText(document, best.start),
    last: pointInText(document, best.end),
  });
}

/** Returns whether an anchor's text is at its position; for removed text, the text around it. */
export function isAtPosition(document: MarkdownDocument, anchor: PlanAnchor): boolean {
  const { start, end, quote } = anchor;
  if (anchor.removed) {
    const here = removedAnchor(document, start, quote);
    return here.prefix === anchor.prefix && here.suffix === anchor.suffix;
  }
  const drawn = drawnRanges(document, anchor);
  const [first, last] = [drawn[0], drawn.at(-1)];
  if (!first || !last) return document.source.slice(start, end) === quote;
  const range = {
    first: { leaf: first.leaf, offset: first.start },
    last: { leaf: last.leaf, offset: last.end },
  };
  return toAnchor(document, range)?.quote === quote;
}

/** Finds the position of text that is not in the document, by the text around it. */
export function positionAround(document: MarkdownDocument, anchor: PlanAnchor): PlanAnchor | undefined {
  const none = { prefix: "", suffix: "" };
  const before = bestMatch(document, anchor.prefix, { ...none, suffix: anchor.suffix });
  const behind = before ? undefined : bestMatch(document, anchor.suffix, none);
  const offset = before?.end ?? behind?.start;
  if (offset === undefined) return undefined;
  const point = pointInText(document, offset);
  const leaf = document.leaves[point.leaf];
  return removedAnchor(document, sourceOffset(leaf, point.offset, before ? "end" : "start"), anchor.quote);
}

/** Returns whether removed text is in the plan again. */
export function isRestored(document: MarkdownDocument, { quote }: PlanAnchor): boolean {
  return findQuote(foldedText(document), quote).length > 0;
}

/** Returns the match of `quote` whose context is most similar to that of the anchor. */
function bestMatch(document: MarkdownDocument, quote: string, around: Surroundings): Match | undefined {
  const text = documentText(document);
  let best: Match | undefined;
  let bestScore = -1;
  for (const match of findQuote(foldedText(document), quote)) {
    const score = similarity(text, match, around);
    if (score > bestScore) [best, bestScore] = [match, score];
  }
  return best;
}

type Surroundings = Pick<PlanAnchor, "prefix" | "suffix">;

/** A range of the document's rendered text. */
interface Match {
  readonly start: number;
  readonly end: number;
}

const MAX_MATCHES = 200;

/**
 * Finds the first `MAX_MATCHES` occurrences of a quote, ignoring differences in whitespace. Uses string search, because
 * browsers reject a regular expression for a quote of a few thousand words.
 */
function findQuote({ text, offsetAt }: FoldedText, quote: string): Match[] {
  const wanted = quote.trim().replace(/\s+/g, " ");
  const found: Match[] = [];
  if (wanted === "") return found;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    found.push({ start: offsetAt(at), end: offsetAt(at + wanted.length - 1) + 1 });
    if (found.length === MAX_MATCHES) break;
  }
  return found;
}

/** A text with each run of whitespace replaced by one space, and a function that maps offsets back. */
interface FoldedText {
  readonly text: string;
  offsetAt(folded: number): number;
}

const folded = new WeakMap<MarkdownDocument, FoldedText>();

function foldedText(document: MarkdownDocument): FoldedText {
  const known = folded.get(document);
  if (known) return known;
  const result = foldWhitespace(documentText(document));
  folded.set(document, result);
  return result;
}

function foldWhitespace(text: string): FoldedText {
  const pieces: string[] = [];
  // Offsets in both texts after each run of more than one character, where the difference between them
  // changes.
  const foldedStarts = [0];
  const starts = [0];
  let length = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(/\s+/g)) {
    pieces.push(text.slice(from, index), " ");
    length += index - from + 1;
    from = index + run.length;
    if (run.length === 1) continue;
    foldedStarts.push(length);
    starts.push(from);
  }
  pieces.push(text.slice(from));
  return {
    text: pieces.join(""),
    offsetAt(offset) {
      const stretch = lastNotBehind(foldedStarts, offset);
      return (starts[stretch] ?? 0) + offset - (foldedStarts[stretch] ?? 0);
    },
  };
}

/** Returns the number of characters before and after the match that are equal to those around the anchor. */
function similarity(text: string, { start, end }: Match, anchor: Surroundings): number {
  let before = 0;
  while (
    before < anchor.prefix.length &&
    text[start - 1 - before] === anchor.prefix[anchor.prefix.length - 1 - before]
  ) {
    before += 1;
  }
  let after = 0;
  while (after < anchor.suffix.length && text[end + after] === anchor.suffix[after]) after += 1;
  return before + after;
}
