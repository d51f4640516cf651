import type { MarkdownDocument } from "../../../src/render/markdown/model.ts";
import type { PlanAnchor, PlanAnnotation } from "../../../src/review/api-types.ts";
import { annotatedRemoval, domRange, elementsBy } from "../dom/text-points.ts";
import { drawnRanges, findAnchorBlocks } from "../model/anchor.ts";
import { describeAll, MAX_RENDERED_CARDS } from "../model/annotations.ts";

/** DOM ranges by annotation id, for click detection. */
export type PaintedRanges = ReadonlyMap<string, readonly Range[]>;

/**
 * Maximum number of annotations that are all painted. Of a larger number, only those near the window are painted,
 * because the browser checks every range of a highlight on every change of the document.
 */
const MAX_PAINTED = 500;
/** Pixels above and below the window in which annotations are painted. */
const OVERSCAN = 1_000;

/**
 * Returns how many pixels the page may scroll before annotations must be painted again; undefined if all are painted.
 */
export function repaintDistance(annotations: readonly PlanAnnotation[]): number | undefined {
  return annotations.length > MAX_PAINTED ? OVERSCAN / 2 : undefined;
}

const KINDS = ["comment", "replace", "delete", "insert", "concern", "label"] as const;

/**
 * Paints annotations (all of them for printing) with the CSS Custom Highlight API, which adds no elements.
 */
export function paintAnnotations(
  root: Element,
  plan: MarkdownDocument,
  all: readonly PlanAnnotation[],
  { activeId, isPrinting }: { readonly activeId: string | undefined; readonly isPrinting: boolean },
): PaintedRanges {
  const annotations = isPrinting || all.length <= MAX_PAINTED ? all : nearWindow(root, plan, all);
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
  return painted;
}

function nearWindow(
  root: Element,
  plan: MarkdownDocument,
  annotations: readonly PlanAnnotation[],
): readonly PlanAnnotation[] {
  const near = new Set<number>();
  for (const [block, element] of elementsBy(root, "block")) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom > -OVERSCAN && top < innerHeight + OVERSCAN) near.add(block);
  }
  return annotations.filter(
    ({ anchor }) => anchor && findAnchorBlocks(plan, anchor).some((block) => near.has(block)),
  );
}

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
  return hits.toSorted((a, b) => countCharacters(a[1]) - countCharacters(b[1]))[0]?.[0];
}

function countCharacters(ranges: readonly Range[]): number {
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

/**
 * Adds to each annotated block a reference to its cards, or a description if not all cards are in the
 * document, because assistive technology ignores highlights.
 */
export function describeBlocks(
  root: Element,
  plan: MarkdownDocument,
  annotations: readonly PlanAnnotation[],
): void {
  const byBlock = new Map<number, PlanAnnotation[]>();
  for (const annotation of annotations) {
    if (!annotation.anchor) continue;
    for (const block of findAnchorBlocks(plan, annotation.anchor)) {
      const list = byBlock.get(block);
      if (list) list.push(annotation);
      else byBlock.set(block, [annotation]);
    }
  }
  const areCardsRendered = annotations.length <= MAX_RENDERED_CARDS;
  for (const [block, element] of elementsBy(root, "block")) {
    const list = byBlock.get(block);
    setOrRemove(element, "data-annotated", list && (list.at(-1)?.type ?? "comment"));
    const cards = areCardsRendered ? list?.map(({ id }) => `annotation-${id}`).join(" ") : undefined;
    setOrRemove(element, "aria-describedby", cards);
    setOrRemove(element, "aria-description", list && !areCardsRendered ? describeAll(list) : undefined);
  }
}

/**
 * Sets or removes an attribute. An unchanged attribute is not set, because this would recalculate the style
 * of the block.
 */
function setOrRemove(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
