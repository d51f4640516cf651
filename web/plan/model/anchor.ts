import type { Leaf, MarkdownDocument, Segment } from "../../../src/render/markdown/model.ts";
import { lastNotBehind } from "../../../src/render/markdown/parse/source-lines.ts";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { documentIndex } from "./document-index.ts";

/** A position in the rendered text: a leaf and an offset in it. */
export interface TextPoint {
  readonly leaf: number;
  readonly offset: number;
}

/** A range of rendered text. */
export interface TextRange {
  readonly first: TextPoint;
  readonly last: TextPoint;
}

/** The part of a range in one leaf. */
export interface LeafRange {
  readonly leaf: number;
  readonly start: number;
  readonly end: number;
}

const CONTEXT = 32;

/** Converts a range of rendered text to an anchor in the source. Returns undefined for a range without text. */
export function toAnchor(document: MarkdownDocument, range: TextRange): PlanAnchor | undefined {
  const parts = leafRanges(document, range);
  const first = parts[0];
  const last = parts.at(-1);
  if (!first || !last) return undefined;
  // Footnotes are rendered last, so the first rendered part need not be the first in the source.
  const stretches = parts.map((part) => sourceStretch(document, part));
  const start = stretches.reduce(
    (least, stretch) => Math.min(least, stretch.start),
    Number.POSITIVE_INFINITY,
  );
  const end = stretches.reduce((most, stretch) => Math.max(most, stretch.end), 0);
  const text = documentText(document);
  const from = offsetInText(document, { leaf: first.leaf, offset: first.start });
  const to = offsetInText(document, { leaf: last.leaf, offset: last.end });
  return {
    ...toLines(document, start, end),
    start,
    end,
    quote: text.slice(from, to),
    prefix: text.slice(Math.max(0, from - CONTEXT), from),
    suffix: text.slice(to, to + CONTEXT),
  };
}

/** Returns the anchor of a whole block, including a block without text, such as an image. */
export function blockAnchor(document: MarkdownDocument, index: number): PlanAnchor | undefined {
  const block = document.blocks[index];
  if (!block) return undefined;
  const last = document.leaves[block.lastLeaf];
  const range = {
    first: { leaf: block.firstLeaf, offset: 0 },
    last: { leaf: block.lastLeaf, offset: last?.text.length ?? 0 },
  };
  const anchor = toAnchor(document, range);
  if (anchor) return anchor;
  const { start, end, startLine, endLine } = block;
  return { start, end, startLine, endLine, quote: document.source.slice(start, end), prefix: "", suffix: "" };
}

/** Returns an anchor for removed text, at the position from which it was removed. */
export function removedAnchor(document: MarkdownDocument, at: number, quote: string): PlanAnchor {
  const { text, lines, leafStarts, leavesAt } = documentIndex(document);
  const leaf = leavesAt(at, at).at(-1) ?? leavesAt(0, at).at(-1);
  const from = leaf ? (leafStarts[leaf.index] ?? 0) + renderedOffset(leaf, at, "start") : 0;
  const line = lines.at(at) + 1;
  return {
    start: at,
    end: at,
    startLine: line,
    endLine: line,
    quote,
    prefix: text.slice(Math.max(0, from - CONTEXT), from),
    suffix: text.slice(from, from + CONTEXT),
    removed: true,
  };
}

/** Returns the anchor of one line of a code block, counted from 0; undefined for a blank or missing line. */
export function codeLineAnchor(
  document: MarkdownDocument,
  index: number,
  line: number,
): PlanAnchor | undefined {
  const leaf = document.leaves[document.blocks[index]?.firstLeaf ?? -1];
  const lines = leaf?.text.split("\n") ?? [];
  const text = lines[line];
  if (!leaf || text === undefined || text.trim() === "") return undefined;
  const start = lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0);
  const indentation = text.length - text.trimStart().length;
  return toAnchor(document, {
    first: { leaf: leaf.index, offset: start + indentation },
    last: { leaf: leaf.index, offset: start + text.trimEnd().length },
  });
}

/** Returns the rendered ranges of an anchor, one per leaf; no range if the anchor contains no rendered text. */
export function drawnRanges(
  document: MarkdownDocument,
  anchor: Pick<PlanAnchor, "start" | "end">,
): LeafRange[] {
  if (anchor.end <= anchor.start) return [];
  const ranges: LeafRange[] = [];
  for (const leaf of documentIndex(document).leavesAt(anchor.start, anchor.end)) {
    const start = renderedOffset(leaf, anchor.start, "start");
    const end = renderedOffset(leaf, anchor.end, "end");
    if (end > start) ranges.push({ leaf: leaf.index, start, end });
  }
  return ranges;
}

/**
 * Returns the anchor of the text in the source lines from `startLine` to `endLine`, counted from 1, both inclusive;
 * undefined for blank lines.
 */
export function linesAnchor(
  document: MarkdownDocument,
  startLine: number,
  endLine: number,
): PlanAnchor | undefined {
  const { lines } = documentIndex(document);
  const [start, end] = [lines.start(startLine - 1), lines.end(endLine - 1)];
  const quote = document.source.slice(start, end);
  if (quote.trim() === "") return undefined;
  const drawn = drawnRanges(document, { start, end });
  const [first, last] = [drawn[0], drawn.at(-1)];
  // Lines that are not rendered are quoted as source.
  if (!first || !last) return { start, end, startLine, endLine, quote, prefix: "", suffix: "" };
  return toAnchor(document, {
    first: { leaf: first.leaf, offset: first.start },
    last: { leaf: last.leaf, offset: last.end },
  });
}

const knownBlocks = new WeakMap<MarkdownDocument, WeakMap<PlanAnchor, readonly number[]>>();

/**
 * Returns the indexes of the blocks that an anchor touches. They are computed once per anchor, because a plan
 * may have thousands of anchors.
 */
export function findAnchorBlocks(document: MarkdownDocument, anchor: PlanAnchor): readonly number[] {
  const ofDocument = knownBlocks.get(document) ?? new WeakMap<PlanAnchor, readonly number[]>();
  knownBlocks.set(document, ofDocument);
  const known = ofDocument.get(anchor) ?? findBlocks(document, anchor);
  ofDocument.set(anchor, known);
  return known;
}

function findBlocks(document: MarkdownDocument, anchor: PlanAnchor): readonly number[] {
  const touched = documentIndex(document)
    .leavesAt(anchor.start, anchor.end)
    .filter(({ start, end }) => start < anchor.end && end > anchor.start);
  if (touched.length > 0) return [...new Set(touched.map(({ block }) => block))].sort((a, b) => a - b);
  return document.blocks
    .filter(({ startLine, endLine }) => startLine <= anchor.endLine && endLine >= anchor.startLine)
    .map(({ index }) => index);
}

/** Returns the rendered text as one string. Leaves are separated by newlines. */
export function documentText(document: MarkdownDocument): string {
  return documentIndex(document).text;
}

/** Converts a point to an offset in `documentText`. */
function offsetInText(document: MarkdownDocument, point: TextPoint): number {
  return (documentIndex(document).leafStarts[point.leaf] ?? 0) + point.offset;
}

/** Converts an offset in `documentText` to a point. */
export function pointInText(document: MarkdownDocument, offset: number): TextPoint {
  const { leafStarts } = documentIndex(document);
  const leaf = lastNotBehind(leafStarts, offset);
  const length = document.leaves[leaf]?.text.length ?? 0;
  return { leaf, offset: Math.min(length, Math.max(0, offset - (leafStarts[leaf] ?? 0))) };
}

function leafRanges(document: MarkdownDocument, { first, last }: TextRange): LeafRange[] {
  return document.leaves
    .slice(first.leaf, last.leaf + 1)
    .map(({ index, text }) => ({
      leaf: index,
      start: index === first.leaf ? first.offset : 0,
      end: index === last.leaf ? last.offset : text.length,
    }))
    .filter(({ start, end }) => end > start);
}

function toLines(
  document: MarkdownDocument,
  start: number,
  end: number,
): { startLine: number; endLine: number } {
  const { lines } = documentIndex(document);
  return { startLine: lines.at(start) + 1, endLine: lines.at(Math.max(start, end - 1)) + 1 };
}

/** Returns the source range of a part of a leaf, including markup at its ends that would otherwise be unbalanced. */
function sourceStretch(document: MarkdownDocument, part: LeafRange): { start: number; end: number } {
  const leaf = document.leaves[part.leaf];
  const stretch = {
    start: sourceOffset(leaf, part.start, "start"),
    end: sourceOffset(leaf, part.end, "end"),
  };
  if (!leaf || !PROSE.has(document.blocks[leaf.block]?.name ?? "")) return stretch;
  const isWhole = part.start === 0 && part.end === leaf.text.length;
  return isWhole
    ? { start: leaf.start, end: leaf.end }
    : withMarkupEnds(document.source, stretch, { start: leaf.start, end: leaf.end });
}

/** Names of the blocks with inline markup. */
const PROSE = new Set(["paragraph", "list item", "heading", "table row"]);

/**
 * Converts an offset in the rendered text of a leaf, at which a range starts or ends, to an offset in the source. The
 * source of an escaped or replaced character is included as a whole.
 */
export function sourceOffset(leaf: Leaf | undefined, rendered: number, side: "start" | "end"): number {
  if (!leaf) return 0;
  const isOver = (segment: Segment) =>
    side === "start"
      ? segment.rendered + segment.renderedLength > rendered
      : segment.rendered + segment.renderedLength >= rendered;
  const segment = leaf.segments.find(isOver);
  if (!segment) return side === "start" ? leaf.start : leaf.end;
  const into = rendered - segment.rendered;
  if (segment.renderedLength === segment.sourceLength) return segment.source + into;
  return side === "start" && into < segment.renderedLength
    ? segment.source
    : segment.source + segment.sourceLength;
}

function renderedOffset(leaf: Leaf, source: number, side: "start" | "end"): number {
  if (side === "start") {
    const segment = leaf.segments.find((entry) => entry.source + entry.sourceLength > source);
    if (!segment) return leaf.text.length;
    const into = Math.max(0, source - segment.source);
    return segment.rendered + (segment.renderedLength === segment.sourceLength ? into : 0);
  }
  const segment = leaf.segments.findLast((entry) => entry.source < source);
  if (!segment) return 0;
  const into = Math.min(segment.sourceLength, source - segment.source);
  return segment.rendered + (segment.renderedLength === segment.sourceLength ? into : segment.renderedLength);
}

/** A range of source offsets, `end` exclusive. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Markers that open or close emphasis, code and strikethrough. */
const BEFORE = /(?:\*\*\*|\*\*|\*|___|__|_|~~|`+)$/;
const BEHIND = /^(?:\*\*\*|\*\*|\*|___|__|_|~~|`+)/;
/** The end of a link, after its text. */
const TARGET = /^\]\([^()\s]*\)/;

/**
 * Extends a range by markup at its ends if the counterpart of the markup is in the range. In `**now** or
 * never`, the rendered text "now or never" starts after the opening asterisks, so the range would contain
 * only the closing ones. `within` limits the extension. Pure.
 */
function withMarkupEnds(source: string, { start, end }: Stretch, within: Stretch): Stretch {
  const before = source.slice(within.start, start);
  const behind = source.slice(end, within.end);
  const inner = source.slice(start, end);
  const opener = before.endsWith("[") && /\][([]/.test(inner) ? "[" : BEFORE.exec(before)?.[0];
  const closer = TARGET.exec(behind)?.[0] ?? BEHIND.exec(behind)?.[0];
  const opens = opener !== undefined && (opener === "[" || isHalf(inner, opener));
  const closes =
    closer !== undefined && (closer.startsWith("]") ? isOpen(inner) : isHalf(inner, closer) && !opens);
  return { start: opens ? start - opener.length : start, end: closes ? end + closer.length : end };
}

/** Returns whether the text contains a marker an odd number of times, so that one has no counterpart. */
function isHalf(text: string, mark: string): boolean {
  return text.split(mark).length % 2 === 0;
}

/** Returns whether the text opens a link that it does not close. */
function isOpen(text: string): boolean {
  return text.lastIndexOf("[") > text.lastIndexOf("](");
}
