import type {
  LeafEdits,
  MarkdownNode,
  RemovedText,
  TextStretch,
} from "../../../src/render/markdown/model.ts";

/**
 * Marks the edits of a leaf in its nodes: added text in `ins`, removed text as nodes outside of the leaf. The leaf's
 * text does not change.
 */
export function markEdits(nodes: readonly MarkdownNode[], edits: LeafEdits): MarkdownNode[] {
  const marker = new EditMarker(edits);
  return [...marker.all(nodes), ...marker.rest()];
}

class EditMarker {
  private readonly added: readonly TextStretch[];
  private readonly removed: RemovedText[];
  private offset = 0;

  constructor({ added, removed }: LeafEdits) {
    this.added = added;
    this.removed = [...removed];
  }

  all(nodes: readonly MarkdownNode[]): MarkdownNode[] {
    return nodes.flatMap((node) => {
      switch (node.kind) {
        case "text":
          return this.text(node.text, (text) => ({ kind: "text", text }));
        case "mark":
          return this.text(node.text, (text) => ({ ...node, text }));
        case "element":
        case "link":
          return [{ ...node, children: this.all(node.children) }];
        default:
          return [node];
      }
    });
  }

  /** Returns the removed text after the last character. */
  rest(): MarkdownNode[] {
    return this.removed.map(removedNode);
  }

  private text(text: string, make: (text: string) => MarkdownNode): MarkdownNode[] {
    const start = this.offset;
    const end = start + text.length;
    const nodes: MarkdownNode[] = [];
    for (const cut of this.cuts(start, end)) {
      nodes.push(...this.removalsAt(cut.start));
      const node = make(text.slice(cut.start - start, cut.end - start));
      nodes.push(cut.isAdded ? { kind: "element", tag: "ins", children: [node] } : node);
    }
    this.offset = end;
    return nodes;
  }

  private cuts(start: number, end: number): { start: number; end: number; isAdded: boolean }[] {
    const added = this.added.filter((stretch) => stretch.start < end && stretch.end > start);
    const offsets = [
      start,
      end,
      ...this.removed.map(({ offset }) => offset),
      ...added.flatMap((stretch) => [stretch.start, stretch.end]),
    ];
    const sorted = [...new Set(offsets.filter((offset) => offset >= start && offset <= end))].sort(
      (a, b) => a - b,
    );
    return sorted.slice(0, -1).map((from, index) => ({
      start: from,
      end: sorted[index + 1] ?? end,
      isAdded: added.some((stretch) => stretch.start <= from && stretch.end > from),
    }));
  }

  private removalsAt(offset: number): MarkdownNode[] {
    const here = this.removed.filter((removed) => removed.offset <= offset);
    this.removed.splice(0, here.length);
    return here.map(removedNode);
  }
}

function removedNode({ id, text, at }: RemovedText): MarkdownNode {
  return { kind: "removed", tag: "del", id, at, children: [{ kind: "text", text }] };
}
