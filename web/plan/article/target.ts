import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { annotatedRemoval, blockElement, domRange } from "../dom/text-points.ts";
import { blocksOf, drawnRanges } from "../model/anchor.ts";

/** Pixels from the top left of the sheet that the plan is drawn on. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

/** Target of a new annotation and its box. */
export interface Target extends Box {
  readonly anchor: PlanAnchor;
}

/** Returns the box of an anchor. */
export function targetBox(root: Element, plan: MarkdownDocument, anchor: PlanAnchor): Box {
  const ranges = drawnRanges(plan, anchor)
    .map((range) => domRange(root, range))
    .filter((range) => range !== undefined);
  const block = anchor.removed
    ? annotatedRemoval(root, anchor)
    : blockElement(root, blocksOf(plan, anchor)[0] ?? 0);
  const boxes = ranges.flatMap((range) => [...range.getClientRects()]);
  const visible = boxes.filter(({ width }) => width > 0);
  // Text that is not shown, as in a folded part, has the place of the whole.
  const all = visible.length > 0 ? visible : [(block ?? root).getBoundingClientRect()];
  const origin = (root.parentElement ?? root).getBoundingClientRect();
  // One by one: what lies on many thousand lines has more boxes than a call takes arguments.
  return all.reduce<Box>(
    (box, { left, top, bottom }) => ({
      left: Math.min(box.left, left - origin.left),
      top: Math.min(box.top, top - origin.top),
      bottom: Math.max(box.bottom, bottom - origin.top),
    }),
    { left: Number.POSITIVE_INFINITY, top: Number.POSITIVE_INFINITY, bottom: Number.NEGATIVE_INFINITY },
  );
}
