import type { PlanAnchor } from "../../../src/review/api-types.ts";
import type { MarkdownDocument } from "../../shared/markdown/model.ts";
import { anchorOf, documentText, pointInText } from "./anchor.ts";

/**
 * Finds the place of an anchor in another version of the plan: where its quote stands, and of several such places the
 * one whose surroundings are most alike. Undefined where the text has gone.
 */
export function relocate(
  document: MarkdownDocument,
  anchor: PlanAnchor,
  text: string = documentText(document),
): PlanAnchor | undefined {
  if (anchor.quote.trim() === "") return undefined;
  const found = candidates(text, anchor.quote);
  const best = found.reduce<Candidate | undefined>((kept, candidate) => {
    const score = likeness(text, candidate, anchor);
    return kept === undefined || score > likeness(text, kept, anchor) ? candidate : kept;
  }, undefined);
  if (!best) return undefined;
  return anchorOf(document, {
    first: pointInText(document, best.start),
    last: pointInText(document, best.end),
  });
}

interface Candidate {
  readonly start: number;
  readonly end: number;
}

const MOST = 200;

/** Every place of the quote; white space may have been wrapped differently. */
function candidates(text: string, quote: string): Candidate[] {
  const words = quote.trim().split(/\s+/).map(literally);
  const pattern = new RegExp(words.join("\\s+"), "g");
  const found: Candidate[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push({ start: match.index, end: match.index + match[0].length });
    if (found.length === MOST) break;
  }
  return found;
}

function literally(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** How many characters before and after agree. */
function likeness(text: string, { start, end }: Candidate, anchor: PlanAnchor): number {
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
