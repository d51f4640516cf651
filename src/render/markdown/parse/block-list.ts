import type { Block, Leaf } from "../model.ts";
import { LeafBuilder } from "./leaf-builder.ts";
import type { SourceLines } from "./source-lines.ts";

/** Collects the blocks and leaves of a document while it is parsed. */
export class BlockList {
  readonly leaves: Leaf[] = [];
  readonly blocks: Block[] = [];
  private readonly lines: SourceLines;

  constructor(lines: SourceLines) {
    this.lines = lines;
  }

  /** Starts a block that covers the lines from `first` to before `end`, counted from 0. Returns its index. */
  open(name: string, first: number, end: number): number {
    const index = this.blocks.length;
    const last = Math.max(first, end - 1);
    const range = { startLine: first + 1, endLine: last + 1 };
    const offsets = { start: this.lines.start(first), end: this.lines.end(last) };
    const next = this.leaves.length;
    this.blocks.push({ index, name, firstLeaf: next, lastLeaf: next, ...offsets, ...range });
    return index;
  }

  addLeaf(make: (index: number) => Leaf): number {
    const index = this.leaves.length;
    const leaf = make(index);
    this.leaves.push(leaf);
    const block = this.blocks[leaf.block];
    if (block) this.blocks[leaf.block] = { ...block, lastLeaf: index };
    return index;
  }

  /**
   * Adds a block of whole lines with one leaf. Draws the lines unchanged, or as in `text` (without their container's
   * indentation).
   */
  addLines(name: string, first: number, end: number, text?: string): { leaf: number; block: number } {
    const block = this.open(name, first, end);
    const leaf = this.addLeaf((index) => {
      const builder = new LeafBuilder();
      const rows = text === undefined ? this.texts(first, end) : text.split("\n");
      for (const [offset, row] of rows.entries()) {
        const line = first + offset;
        const { indentation, column, length } = locateRow(row, this.lines.text(line));
        const start = this.lines.start(line) + column;
        if (offset > 0) builder.addReplaced("\n", this.lines.end(line - 1), start - this.lines.end(line - 1));
        if (indentation > 0) builder.addReplaced(row.slice(0, indentation), start, length);
        builder.addCode(row.slice(indentation), (at) => start + length + at);
      }
      return builder.finish(index, block, this.lines.start(first), this.lines.end(Math.max(first, end - 1)));
    });
    return { leaf, block };
  }

  private texts(first: number, end: number): string[] {
    return Array.from({ length: Math.max(0, end - first) }, (_, offset) => this.lines.text(first + offset));
  }
}

/**
 * Locates a drawn row in its source line. If a tab of the source is drawn as several spaces, `indentation` counts the
 * drawn characters and `length` those of the source.
 */
function locateRow(row: string, line: string): { indentation: number; column: number; length: number } {
  const whole = line.lastIndexOf(row);
  if (whole >= 0) return { indentation: 0, column: whole, length: 0 };
  const text = row.trimStart();
  return { indentation: row.length - text.length, column: 0, length: Math.max(0, line.lastIndexOf(text)) };
}
