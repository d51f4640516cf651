import type {
  Change,
  LeafEdits,
  MarkdownDocument,
  MarkdownNode,
  RemovedText,
} from "../../../src/render/markdown/model.ts";
import { sourceOffset } from "../model/anchor.ts";
import { align } from "./align.ts";
import { compareByWord } from "./compare-by-word.ts";
import { markEdits } from "./mark-edits.ts";
import { getTargets, getText, getTraits, isContainer, similarity, type Traits } from "./node-traits.ts";

/** The later of two versions, with its changes since the earlier version. */
export interface Comparison {
  /** The later version's blocks in reading order, including removed blocks. */
  readonly blocks: readonly ComparedBlock[];
  /** Number of additions, changes and removals. A table row, or an added or removed list item, counts as one. */
  readonly count: number;
}

/** A top-level block. */
export interface ComparedBlock {
  readonly node: MarkdownNode;
  readonly isChanged: boolean;
}

/** Compares two versions by block, down to list items, table cells and words. */
export function comparePlans(before: MarkdownDocument, after: MarkdownDocument): Comparison {
  return new Comparer(before, after).compare();
}

class Comparer {
  private readonly before: MarkdownDocument;
  private readonly after: MarkdownDocument;
  private count = 0;
  private lastId = 0;
  /** Source offset after the last compared node of the later version: the position of the next removed block. */
  private position = 0;

  constructor(before: MarkdownDocument, after: MarkdownDocument) {
    this.before = before;
    this.after = after;
  }

  compare(): Comparison {
    const blocks: ComparedBlock[] = [];
    this.children(this.before.nodes, this.after.nodes, (nodes, isChanged) => {
      for (const node of nodes) blocks.push({ node, isChanged });
    });
    return { blocks, count: this.count };
  }

  /** Compares the children of two nodes and emits the result item by item. */
  private children(
    before: readonly MarkdownNode[],
    after: readonly MarkdownNode[],
    emit: (nodes: readonly MarkdownNode[], isChanged: boolean) => void,
  ): void {
    const old = getTraits(before, this.before);
    const now = getTraits(after, this.after);
    const isOnly = old.length === 1 && now.length === 1;
    const isSuccessor = (a: Traits, b: Traits) =>
      a.shape === b.shape &&
      (isOnly || isAlwaysKept(a.node) || similarity(a, b) > (isContainer(a.node) ? 0.25 : 0.4));
    for (const item of align(old, now, isSuccessor)) {
      if (item.kind === "same") emit([item.after.node], false);
      else if (item.kind === "added") emit([this.added(item.after.node)], true);
      else if (item.kind === "removed") emit([this.removed(item.before.node)], true);
      else emit(this.changed(item.before, item.after), true);
      if (item.kind !== "removed") this.position = Math.max(this.position, this.endOf(item.after.node));
    }
  }

  private added(node: MarkdownNode): MarkdownNode {
    this.count += 1;
    return withChange(node, "added");
  }

  private removed(node: MarkdownNode): MarkdownNode {
    this.count += 1;
    return this.removedNode(node);
  }

  private removedNode(node: MarkdownNode): MarkdownNode {
    const removal = { kind: "removed", id: this.nextId(), at: this.position, document: this.before } as const;
    if (node.kind !== "element" || (node.tag !== "li" && node.tag !== "tr")) {
      return { ...removal, tag: "div", children: [node] };
    }
    return { ...removal, tag: node.tag, children: node.children };
  }

  private changed({ node: before }: Traits, { node: after }: Traits): readonly MarkdownNode[] {
    if (before.kind === "task" && after.kind === "task") return this.ticked(before.checked, after);
    if (isContainer(before) && isContainer(after)) return this.changedContainer(before, after);
    const edits = this.edits(before, after);
    if (!edits) return this.replaced(before, after);
    this.count += 1;
    if (after.kind === "code" || after.kind === "unrendered") return [{ ...after, change: "changed", edits }];
    if (after.kind !== "element") return [after];
    return [{ ...after, change: "changed", children: markEdits(after.children, edits) }];
  }

  private changedContainer(
    before: Extract<MarkdownNode, { kind: "element" }>,
    after: Extract<MarkdownNode, { kind: "element" }>,
  ): readonly MarkdownNode[] {
    if (after.tag === "tr") return [this.changedRow(before, after)];
    const children: MarkdownNode[] = [];
    const counted = this.count;
    this.children(before.children, after.children, (nodes) => {
      for (const node of nodes) children.push(node);
    });
    // No child differs, so the container itself does, for example in the start number of a list.
    if (this.count === counted) return this.replaced(before, after);
    return [{ ...after, children }];
  }

  /** Compares a row as one block, regardless of the number of changed cells, and keeps its cells. */
  private changedRow(
    before: Extract<MarkdownNode, { kind: "element" }>,
    after: Extract<MarkdownNode, { kind: "element" }>,
  ): MarkdownNode {
    this.count += 1;
    const old = getTraits(before.children, this.before);
    const cells = getTraits(after.children, this.after).map(({ node, key }, index) => {
      const cell = old[index];
      if (!cell || cell.key === key || node.kind !== "element") return node;
      const edits = this.edits(cell.node, node) ?? this.wholeEdit(cell.node, node);
      return { ...node, children: markEdits(node.children, edits) };
    });
    return { ...after, children: cells, change: "changed" };
  }

  private wholeEdit(before: MarkdownNode, after: MarkdownNode): LeafEdits {
    const targets = getTargets(before).join(", ");
    const text = getText(before, this.before) + (targets === "" ? "" : ` (${targets})`);
    return {
      added: [{ start: 0, end: getText(after, this.after).length }],
      removed: text === "" ? [] : [{ id: this.nextId(), offset: 0, text, at: this.position }],
    };
  }

  private ticked(wasChecked: boolean, after: MarkdownNode): readonly MarkdownNode[] {
    this.count += 1;
    const text = wasChecked ? "[x]" : "[ ]";
    return [
      {
        kind: "removed",
        tag: "del",
        id: this.nextId(),
        at: this.position,
        children: [{ kind: "text", text }],
      },
      after,
    ];
  }

  /** Returns the removed and the added node, for a difference that cannot be shown by word. */
  private replaced(before: MarkdownNode, after: MarkdownNode): readonly MarkdownNode[] {
    this.count += 1;
    return [this.removedNode(before), withChange(after, "added")];
  }

  private edits(before: MarkdownNode, after: MarkdownNode): LeafEdits | undefined {
    const leaf = "leaf" in after && after.leaf !== undefined ? this.after.leaves[after.leaf] : undefined;
    if (!leaf || !("leaf" in before) || before.leaf === undefined) return undefined;
    if ("info" in before && "info" in after && before.info !== after.info) return undefined;
    if (getTargets(before).join("\n") !== getTargets(after).join("\n")) return undefined;
    const old = this.before.leaves[before.leaf]?.text ?? getText(before, this.before);
    const edits = old === leaf.text ? undefined : compareByWord(old, leaf.text);
    if (!edits) return undefined;
    const removed: RemovedText[] = edits.removed.map(({ offset, text }) => ({
      id: this.nextId(),
      offset,
      text,
      at: sourceOffset(leaf, offset, "start"),
    }));
    return { added: edits.added, removed };
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Returns the end of a node in the source of the later version. */
  private endOf(node: MarkdownNode): number {
    if ("block" in node && node.block !== undefined) return this.after.blocks[node.block]?.end ?? 0;
    if ("leaf" in node && node.leaf !== undefined) return this.after.leaves[node.leaf]?.end ?? 0;
    if (!("children" in node)) return 0;
    return node.children.reduce((end, child) => Math.max(end, this.endOf(child)), 0);
  }
}

function withChange(node: MarkdownNode, change: Change): MarkdownNode {
  return node.kind === "element" || node.kind === "code" || node.kind === "unrendered"
    ? { ...node, change }
    : node;
}

/** Returns whether a container has at most one node of this kind, so that such nodes always correspond. */
function isAlwaysKept(node: MarkdownNode): boolean {
  if (node.kind === "task") return true;
  return node.kind === "element" && (node.tag === "thead" || node.tag === "tbody");
}
