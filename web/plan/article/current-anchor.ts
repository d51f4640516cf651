import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { anchorOf, blockAnchor, linesAnchor } from "../annotate/anchor.ts";
import { useReview } from "../state/review-store.ts";
import { selectedRange } from "./text-points.ts";

/** What a key press is about: the selected text or lines of the source, else the block under the cursor. */
export function currentAnchor(): PlanAnchor | undefined {
  const { document: plan, cursor } = useReview.getState();
  return selectedAnchor() ?? (cursor === undefined ? undefined : blockAnchor(plan, cursor));
}

/** The selected text, or the selected lines of the source. */
export function selectedAnchor(): PlanAnchor | undefined {
  const { document: plan } = useReview.getState();
  const selection = getSelection();
  const lines = selectedLines(selection);
  if (lines) return linesAnchor(plan, ...lines);
  const root = document.querySelector(".plan");
  const range = root && selectedRange(root, selection);
  return range ? anchorOf(plan, range) : undefined;
}

/** The first and the last line of the source view that are selected. */
function selectedLines(selection: Selection | null): [number, number] | undefined {
  if (!selection || selection.isCollapsed) return undefined;
  const { startContainer, endContainer, endOffset } = selection.getRangeAt(0);
  const [first, last] = [lineAt(startContainer), lineAt(endContainer)];
  if (first === undefined || last === undefined) return undefined;
  // A selection that ends before the first character of a line does not mean that line.
  return [first, endOffset === 0 && last > first ? last - 1 : last];
}

function lineAt(node: Node): number | undefined {
  const element = node instanceof Element ? node : node.parentElement;
  const line = element?.closest<HTMLElement>(".source-line")?.dataset["line"];
  return line === undefined ? undefined : Number(line);
}
