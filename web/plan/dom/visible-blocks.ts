import { blockElement } from "./text-points.ts";

/** Returns the height, in pixels, that the header covers. */
export function coveredTop(): number {
  const header = document.querySelector(".header");
  const isFixed = header !== null && getComputedStyle(header).position === "sticky";
  return isFixed ? header.getBoundingClientRect().bottom : 0;
}

/** Returns the rendered blocks in reading order, without those in collapsed sections. */
function drawnBlocks(): HTMLElement[] {
  const root = document.querySelector(".plan");
  return [...(root?.querySelectorAll<HTMLElement>("[data-block]") ?? [])].filter((element) =>
    element.checkVisibility(),
  );
}

/** Returns whether any part of an element is in the window. */
export function isInWindow(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > coveredTop() && top < innerHeight;
}

/**
 * Returns the index of the first element that begins at or below the top of the window. If that element begins below
 * the window, returns the index before it, if any. Returns -1 if all elements begin above the top of the window.
 */
export function firstInWindow(elements: readonly Element[]): number {
  const top = coveredTop();
  const found = elements.findIndex((element) => element.getBoundingClientRect().top >= top);
  const before = elements[found - 1];
  // The block before fills the window if the found block begins below the window.
  if (before && found !== -1 && (elements[found]?.getBoundingClientRect().top ?? 0) >= innerHeight) {
    return found - 1;
  }
  return found;
}

/**
 * Returns the index of the block one step from the cursor. If the cursor is not in the window, returns the block being
 * read for a step forward, and the last visible block for a step back.
 */
export function blockBeside(cursor: number | undefined, step: 1 | -1): number | undefined {
  const blocks = drawnBlocks();
  const numbers = blocks.map(({ dataset }) => Number(dataset["block"]));
  const at = cursor === undefined ? -1 : numbers.indexOf(cursor);
  const current = blocks[at];
  if (current && isInWindow(current)) return numbers[Math.min(Math.max(at + step, 0), numbers.length - 1)];
  const first = firstInWindow(blocks);
  if (step === 1) return numbers[first === -1 ? numbers.length - 1 : first];
  const visible = blocks.findLastIndex(isInWindow);
  return numbers[visible === -1 ? Math.max(0, first - 1) : visible];
}

/** Returns the index of the block at the top of the window; undefined if no block begins at or below it. */
export function blockBeingRead(): number | undefined {
  const blocks = drawnBlocks();
  const found = blocks[firstInWindow(blocks)];
  return found && Number(found.dataset["block"]);
}

/** Returns whether a block of the plan is visible in the window. */
export function isBlockInWindow(block: number | undefined): boolean {
  const root = document.querySelector(".plan");
  const element = root && block !== undefined && blockElement(root, block);
  return element ? isInWindow(element) : false;
}
