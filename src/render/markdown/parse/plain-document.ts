import type { MarkdownDocument, MarkdownNode } from "../model.ts";
import { BlockList } from "./block-list.ts";
import { sourceLines } from "./source-lines.ts";

/** Longer texts are shown as plain text: a browser needs most of a minute to lay out 20 MB of Markdown. */
export const MAX_MARKDOWN_LENGTH = 1_000_000;
/** Small enough that a browser lays out only the blocks on the screen. */
const BLOCK_LINES = 200;

/** Returns the lines of a text unchanged, in blocks that map back to the source. */
export function plainDocument(source: string): MarkdownDocument {
  const lines = sourceLines(source);
  const list = new BlockList(lines);
  const nodes: MarkdownNode[] = [];
  for (let first = 0; first < lines.count; first += BLOCK_LINES) {
    const leaf = list.addLines("plain text", first, Math.min(lines.count, first + BLOCK_LINES));
    nodes.push({ kind: "code", ...leaf, language: "", info: "" });
  }
  return { source, nodes, leaves: list.leaves, blocks: list.blocks, headings: [], isPlain: true };
}
