import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnchor, PlanAnnotation } from "../../../src/review/api-types.ts";
import { annotatedRemoval, domRange, elementsBy } from "../dom/text-points.ts";
import { blocksOf, drawnRanges } from "../model/anchor.ts";

/** DOM ranges by annotation id, for click detection. */
export type PaintedRanges = ReadonlyMap<string, readonly Range[]>;

const KINDS = ["comment", "replace", "delete", "insert", "concern", "label"] as const;

/**
 * Paints annotations with the CSS Custom Highlight API, which adds no elements. Assistive technology ignores
 * highlights, so each annotated block also refers to its cards.
 */
export function paintAnnotations(
  root: Element,
  plan: MarkdownDocument,
  annotations: readonly PlanAnnotation[],
  activeId: string | undefined,
): PaintedRanges {
  const painted = new Map<string, Range[]>();
  const leaves = elementsBy(root, "leaf");
  for (const { id, anchor } of annotations) {
    if (!anchor) continue;
    const ranges = anchor.removed
      ? [removedRange(root, anchor)]
      : drawnRanges(plan, anchor).map((range) => domRange(root, range, leaves));
    painted.set(
      id,
      ranges.filter((range) => range !== undefined),
    );
  }
  for (const kind of KINDS) {
    const ids = annotations.filter(({ type, id }) => type === kind && id !== activeId).map(({ id }) => id);
    setHighlight(
      `annotation-${kind}`,
      ids.flatMap((id) => painted.get(id) ?? []),
    );
  }
  setHighlight("annotation-active", activeId ? (painted.get(activeId) ?? []) : []);
  describeBlocks(root, plan, annotations);
  return painted;
}

/** Returns the range of the removed text that an annotation is about. */
function removedRange(root: Element, anchor: PlanAnchor): Range | undefined {
  const element = annotatedRemoval(root, anchor);
  if (!element) return undefined;
  const range = document.createRange();
  range.selectNodeContents(element);
  return range;
}

/** Paints the target of the annotation that is being written. */
export function paintTarget(root: Element, plan: MarkdownDocument, anchor: PlanAnnotation["anchor"]): void {
  const ranges = anchor ? drawnRanges(plan, anchor).map((range) => domRange(root, range)) : [];
  setHighlight(
    "annotation-target",
    ranges.filter((range) => range !== undefined),
  );
}

/** Returns the id of the annotation at a point of the window. */
export function annotationAt(painted: PaintedRanges, x: number, y: number): string | undefined {
  const caret = document.caretPositionFromPoint?.(x, y);
  if (!caret) return undefined;
  const hits = [...painted].filter(([, ranges]) =>
    ranges.some((range) => range.isPointInRange(caret.offsetNode, caret.offset)),
  );
  // The shortest annotation wins, for example a word inside an annotated paragraph.
  return hits.toSorted((a, b) => lengthOf(a[1]) - lengthOf(b[1]))[0]?.[0];
}

function lengthOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, range) => sum + range.toString().length, 0);
}

function setHighlight(name: string, ranges: readonly Range[]): void {
  if (typeof Highlight === "undefined") return;
  if (ranges.length === 0) {
    CSS.highlights.delete(name);
    return;
  }
  const highlight = new Highlight();
  for (const range of ranges) highlight.add(range);
  CSS.highlights.set(name, highlight);
}

function describeBlocks(root: Element, plan: MarkdownDocument, annotations: readonly PlanAnnotation[]): void {
  const byBlock = new Map<number, PlanAnnotation[]>();
  for (const annotation of annotations) {
    if (!annotation.anchor) continue;
    for (const block of blocksOf(plan, annotation.anchor)) {
      const list = byBlock.get(block);
      if (list) list.push(annotation);
      else byBlock.set(block, [annotation]);
    }
  }
  for (const element of root.querySelectorAll<HTMLElement>("[data-annotated]")) {
    element.removeAttribute("data-annotated");
    element.removeAttribute("aria-describedby");
  }
  const blocks = elementsBy(root, "block");
  for (const [block, list] of byBlock) {
    const element = blocks.get(block);
    element?.setAttribute("data-annotated", list.at(-1)?.type ?? "comment");
    element?.setAttribute("aria-describedby", list.map(({ id }) => `annotation-${id}`).join(" "));
  }
}
