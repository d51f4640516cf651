import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { anchorOf, blockAnchor } from "../annotate/anchor.ts";
import { useReview } from "../state/review-store.ts";
import { selectedRange } from "./text-points.ts";

/** What a key press is about: the selected text, else the block under the cursor. */
export function currentAnchor(): PlanAnchor | undefined {
  const { document: plan, cursor } = useReview.getState();
  const root = document.querySelector(".plan");
  const range = root && selectedRange(root, getSelection());
  const selected = range && anchorOf(plan, range);
  if (selected) return selected;
  return cursor === undefined ? undefined : blockAnchor(plan, cursor);
}
