import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { drawnRanges, findAnchorBlocks } from "../model/anchor.ts";
import { annotatedRemoval, blockElement, domRange } from "./text-points.ts";

/** A box in pixels from the top left corner of the sheet that contains the plan. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

/** Target of a new annotation and its box. */
export interface Target extends Box {
  readonly anchor: PlanAnchor;
}

export function targetBox(root: Element, plan: MarkdownDocument, anchor: PlanAnchor): Box {
  const ranges = drawnRanges(plan, anchor)
    .map((range) => domRange(root, range))
    .filter((range) => range !== undefined);
  const block = anchor.removed
    ? annotatedRemoval(root, anchor)
    : blockElement(root, findAnchorBlocks(plan, anchor)[0] ?? 0);
  const boxes = ranges.flatMap((range) => [...range.getClientRects()]);
  const visible = boxes.filter(({ width }) => width > 0);
  // Uses the box of the block if the text is hidden, for example in a folded section.
  const all = visible.length > 0 ? visible : [(block ?? root).getBoundingClientRect()];
  const origin = (root.parentElement ?? root).getBoundingClientRect();
  // Not `Math.min(...all)`, because an anchor with many thousand lines has more boxes than a call accepts
  // arguments.
  return all.reduce<Box>(
    (box, { left, top, bottom }) => ({
      left: Math.min(box.left, left - origin.left),
      top: Math.min(box.top, top - origin.top),
      bottom: Math.max(box.bottom, bottom - origin.top),
    }),
    { left: Number.POSITIVE_INFINITY, top: Number.POSITIVE_INFINITY, bottom: Number.NEGATIVE_INFINITY },
  );
}
