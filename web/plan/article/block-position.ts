import { blockAt, blockElement, removedElement } from "../dom/text-points.ts";

/** The target of the pointer: removed text, or a block and, in a code block, the line (from 0). */
export type BlockPosition =
  | { readonly block: number; readonly line?: number; readonly removed?: undefined }
  | { readonly removed: number; readonly block?: undefined; readonly line?: undefined };

/** Returns the position under the pointer; undefined outside of all blocks. */
export function positionAt(target: Element, clientY: number): BlockPosition | undefined {
  const removed = target.closest<HTMLElement>(".removed-block")?.dataset["removed"];
  if (removed !== undefined) return { removed: Number(removed) };
  const block = blockAt(target);
  if (block === undefined) return undefined;
  const code = target.closest("pre")?.querySelector("code");
  if (!code) return { block };
  const line = Math.floor((clientY - code.getBoundingClientRect().top) / getLineHeight(code));
  return line >= 0 ? { block, line } : { block };
}

export function isSamePosition(a: BlockPosition | undefined, b: BlockPosition | undefined): boolean {
  return a?.block === b?.block && a?.line === b?.line && a?.removed === b?.removed;
}

export function positionElement(root: Element, { block, removed }: BlockPosition): HTMLElement | null {
  return removed === undefined ? blockElement(root, block ?? 0) : removedElement(root, removed);
}

/** Returns the pixels from the top of an element to the middle of a position's line, or of its first line. */
export function measureMiddle(element: Element, { line = 0 }: BlockPosition): number {
  const text = element.querySelector("pre code");
  const lines = line > 0 || text ? (text ?? element) : element;
  const offset = lines.getBoundingClientRect().top - element.getBoundingClientRect().top;
  const height = getLineHeight(lines);
  return offset + (line + 0.5) * height;
}

function getLineHeight(element: Element): number {
  return Number.parseFloat(getComputedStyle(element).lineHeight) || 24;
}
