import { useMemo, useState } from "react";
import type { MarkdownNode } from "../../../src/render/markdown/model.ts";
import { Button } from "../../shared/components/button.tsx";
import { MarkdownView } from "../../shared/markdown/markdown-view.tsx";
import { AnnotatedSheet, useImageUrl } from "../article/article.tsx";
import { findAnchorBlocks } from "../model/anchor.ts";
import { type ReviewState, useReview } from "../state/review-store.ts";
import type { ComparedBlock, Comparison } from "./compare-plans.ts";

/** Renders the current plan with additions and removals marked. The text can be annotated like the plan. */
export function RenderedChanges({ comparison }: { readonly comparison: Comparison }) {
  const runs = useMemo(() => foldUnchanged(comparison.blocks), [comparison]);
  return (
    <AnnotatedSheet>
      <div className="changes-text">
        {runs.map((run) => (
          <Run key={run.key} run={run} />
        ))}
      </div>
    </AnnotatedSheet>
  );
}

/** Consecutive blocks that are all shown or all folded. */
interface BlockRun {
  readonly key: number;
  readonly nodes: readonly MarkdownNode[];
  readonly isFolded: boolean;
}

/** Minimum number of consecutive unchanged blocks to fold, not counting the blocks next to a change. */
const MIN_FOLDED = 2;

function foldUnchanged(blocks: readonly ComparedBlock[]): BlockRun[] {
  const runs: BlockRun[] = [];
  const add = (nodes: readonly MarkdownNode[], isFolded: boolean) => {
    if (nodes.length > 0) runs.push({ key: runs.length, nodes, isFolded });
  };
  let shown: MarkdownNode[] = [];
  for (let from = 0; from < blocks.length; ) {
    let end = from;
    while (end < blocks.length && blocks[end]?.isChanged === blocks[from]?.isChanged) end += 1;
    const nodes = blocks.slice(from, end).map(({ node }) => node);
    const head = from === 0 ? 0 : 1;
    const tail = end === blocks.length ? 0 : 1;
    if (blocks[from]?.isChanged || nodes.length - head - tail < MIN_FOLDED) {
      shown = shown.concat(nodes);
    } else {
      add(shown.concat(nodes.slice(0, head)), false);
      add(nodes.slice(head, nodes.length - tail), true);
      shown = nodes.slice(nodes.length - tail);
    }
    from = end;
  }
  add(shown, false);
  return runs;
}

function Run({ run: { nodes, isFolded } }: { readonly run: BlockRun }) {
  const plan = useReview((state) => state.document);
  const imageUrl = useImageUrl();
  const blocks = useMemo(() => new Set(isFolded ? nodes.flatMap(blocksIn) : []), [nodes, isFolded]);
  const [isOpen, setIsOpen] = useState(!isFolded);
  const isWanted = useReview((state) => !isOpen && blocksInUse(state).some((block) => blocks.has(block)));
  if (isWanted) setIsOpen(true);
  if (isOpen) return <MarkdownView document={plan} nodes={nodes} imageUrl={imageUrl} />;
  return (
    <Button small variant="quiet" className="unchanged" onClick={() => setIsOpen(true)}>
      Show {nodes.length} unchanged {nodes.length === 1 ? "block" : "blocks"}
    </Button>
  );
}

/** Returns the blocks in use, which are shown even if they would be folded. */
function blocksInUse({ document, annotations, activeId, composer, cursor }: ReviewState): number[] {
  const anchor = composer?.anchor ?? annotations.find(({ id }) => id === activeId)?.anchor;
  return [...(anchor ? findAnchorBlocks(document, anchor) : []), ...(cursor === undefined ? [] : [cursor])];
}

function blocksIn(node: MarkdownNode): number[] {
  if ("block" in node && node.block !== undefined) return [node.block];
  return "children" in node ? node.children.flatMap(blocksIn) : [];
}
