import type { PlanAnchor } from "../../../src/review/api-types.ts";
import type { LeafRange, TextPoint, TextRange } from "../model/anchor.ts";

/** Returns the element of a leaf. Without removed text, the element's text equals the leaf's text. */
function leafElement(root: Element, leaf: number): HTMLElement | null {
  return root.querySelector<HTMLElement>(`[data-leaf="${leaf}"]`);
}

export function blockElement(root: Element, block: number): HTMLElement | null {
  return root.querySelector<HTMLElement>(`[data-block="${block}"]`);
}

export function removedElement(root: Element, id: number): HTMLElement | null {
  return root.querySelector<HTMLElement>(`[data-removed="${id}"]`);
}

/** Returns the element of the removed text to which an annotation refers. */
export function annotatedRemoval(root: Element, { start, quote }: PlanAnchor): HTMLElement | undefined {
  const [line = ""] = quote.split("\n", 1);
  const found = [...root.querySelectorAll<HTMLElement>(`[data-at="${start}"]`)];
  return found.find(({ textContent }) => textContent?.includes(line)) ?? found[0];
}

/** Focuses a block, so that keyboard and screen reader continue from there. */
export function focusBlock(element: HTMLElement): void {
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/** Returns the index of the block that contains an element. */
export function blockAt(element: Element | null): number | undefined {
  const block = element?.closest<HTMLElement>("[data-block]")?.dataset["block"];
  return block === undefined ? undefined : Number(block);
}

/** Matches removed text, which is not part of the plan. */
const REMOVED = "[data-removed]";

/** Returns the selected range, clipped to `root`; undefined if no text in `root` is selected. */
export function selectedRange(root: Element, selection: Selection | null): TextRange | undefined {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(root) || range.toString().trim() === "") return undefined;
  const touched = [...root.querySelectorAll<HTMLElement>("[data-leaf]")].filter((leaf) =>
    overlaps(range, leaf),
  );
  const first = touched[0];
  const last = touched.at(-1);
  if (!first || !last) return undefined;
  return trimmed({ first: pointIn(first, range, "start"), last: pointIn(last, range, "end") }, touched);
}

/** Returns the elements of leaves or blocks by index, for repeated lookups. */
export function elementsBy(root: Element, name: "leaf" | "block"): ReadonlyMap<number, HTMLElement> {
  const elements = [...root.querySelectorAll<HTMLElement>(`[data-${name}]`)];
  return new Map(elements.map((element) => [Number(element.dataset[name]), element]));
}

/** Converts a range of one leaf to a DOM range. */
export function domRange(
  root: Element,
  { leaf, start, end }: LeafRange,
  elements?: ReadonlyMap<number, HTMLElement>,
): Range | undefined {
  const element = elements ? elements.get(leaf) : leafElement(root, leaf);
  if (!element) return undefined;
  const from = nodeAt(element, start);
  const to = nodeAt(element, end);
  if (!from || !to) return undefined;
  const range = document.createRange();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

function overlaps(range: Range, leaf: HTMLElement): boolean {
  if (!range.intersectsNode(leaf)) return false;
  const { first, last } = { first: pointIn(leaf, range, "start"), last: pointIn(leaf, range, "end") };
  return last.offset > first.offset;
}

function pointIn(leaf: HTMLElement, range: Range, side: "start" | "end"): TextPoint {
  const index = Number(leaf.dataset["leaf"]);
  const container = side === "start" ? range.startContainer : range.endContainer;
  const offset = side === "start" ? range.startOffset : range.endOffset;
  if (!leaf.contains(container)) {
    return { leaf: index, offset: side === "start" ? 0 : leafText(leaf).length };
  }
  const before = document.createRange();
  before.selectNodeContents(leaf);
  before.setEnd(container, offset);
  return { leaf: index, offset: withoutRemoved(before.cloneContents()).length };
}

/** Returns the text of a leaf's element without removed text. */
function leafText(leaf: Element): string {
  const range = document.createRange();
  range.selectNodeContents(leaf);
  return withoutRemoved(range.cloneContents());
}

function withoutRemoved(fragment: DocumentFragment): string {
  for (const removed of fragment.querySelectorAll(REMOVED)) removed.remove();
  return fragment.textContent ?? "";
}

/** Returns the selected removed text and its element, or undefined. */
export function selectedRemoval(
  root: Element,
  selection: Selection | null,
): { readonly element: HTMLElement; readonly quote: string } | undefined {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const element = [...root.querySelectorAll<HTMLElement>(REMOVED)].find((removed) =>
    range.intersectsNode(removed),
  );
  const quote = selection.toString().trim();
  return element && quote !== "" ? { element, quote } : undefined;
}

/** Trims whitespace at both ends of a range, which double clicks and drags include. */
function trimmed(range: TextRange, leaves: readonly HTMLElement[]): TextRange | undefined {
  const text = (leaf: number) => {
    const element = leaves.find(({ dataset }) => Number(dataset["leaf"]) === leaf);
    return element ? leafText(element) : "";
  };
  const { first, last } = range;
  const head = text(first.leaf).slice(first.offset);
  const from = first.offset + (head.length - head.trimStart().length);
  const to = text(last.leaf).slice(0, last.offset).trimEnd().length;
  if (first.leaf === last.leaf && to <= from) return undefined;
  return { first: { ...first, offset: from }, last: { ...last, offset: to } };
}

function nodeAt(
  element: HTMLElement,
  offset: number,
): { readonly node: Node; readonly offset: number } | undefined {
  const walker = document.createTreeWalker(
    element,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    (node) => {
      if (!(node instanceof Element)) return NodeFilter.FILTER_ACCEPT;
      return node.matches(REMOVED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
    },
  );
  let rest = offset;
  let last: Node | undefined;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (rest <= length) return { node, offset: rest };
    rest -= length;
    last = node;
  }
  return last ? { node: last, offset: last.textContent?.length ?? 0 } : undefined;
}
