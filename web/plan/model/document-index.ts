import type { Leaf, MarkdownDocument } from "../../../src/render/markdown/model.ts";
import {
  lastNotBehind,
  type SourceLines,
  sourceLines,
} from "../../../src/render/markdown/parse/source-lines.ts";

/** Lookup tables for anchors, built once per document. */
export interface DocumentIndex {
  /** The rendered text as one string. Leaves are separated by newlines. */
  readonly text: string;
  /** Start offset of each leaf in `text`. */
  readonly leafStarts: readonly number[];
  readonly lines: SourceLines;
  /** Returns the leaves that overlap or touch a source range, in rendering order. */
  leavesAt(start: number, end: number): readonly Leaf[];
}

const indexes = new WeakMap<MarkdownDocument, DocumentIndex>();

export function documentIndex(document: MarkdownDocument): DocumentIndex {
  const known = indexes.get(document);
  if (known) return known;
  const index = createIndex(document);
  indexes.set(document, index);
  return index;
}

function createIndex({ source, leaves }: MarkdownDocument): DocumentIndex {
  const leafStarts: number[] = [];
  let length = 0;
  for (const { text } of leaves) {
    leafStarts.push(length);
    length += text.length + 1;
  }
  return {
    text: leaves.map(({ text }) => text).join("\n"),
    leafStarts,
    lines: sourceLines(source),
    leavesAt: leafSearch(leaves),
  };
}

/** Creates a search by source range. It sorts the leaves by source, because footnotes are rendered last. */
function leafSearch(leaves: readonly Leaf[]): DocumentIndex["leavesAt"] {
  const sorted = leaves.toSorted((a, b) => a.start - b.start);
  const starts = sorted.map(({ start }) => start);
  let furthest = 0;
  const furthestEnds = sorted.map(({ end }) => {
    furthest = Math.max(furthest, end);
    return furthest;
  });
  return (start, end) => {
    const found: Leaf[] = [];
    for (let at = lastNotBehind(starts, end); at >= 0 && (furthestEnds[at] ?? 0) >= start; at -= 1) {
      const leaf = sorted[at];
      if (leaf && leaf.start <= end && leaf.end >= start) found.push(leaf);
    }
    return found.sort((a, b) => a.index - b.index);
  };
}
