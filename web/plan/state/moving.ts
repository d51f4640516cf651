import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { inReviewOrder } from "../../shared/threads/threads.ts";
import { blockBeingRead, blockBeside, isBlockInWindow } from "../dom/visible-blocks.ts";
import { findAnchorBlocks } from "../model/anchor.ts";
import { inDocumentOrder } from "../model/annotations.ts";
import { setCursor } from "./actions.ts";
import { useReview } from "./review-store.ts";
import { threadAnchor } from "./threads.ts";

const { getState: state, setState: set } = useReview;

/**
 * Activates the next or previous annotation or open thread. Starts from the block being read if no annotation is active
 * or the active one is out of view.
 */
export function activateNext(step: 1 | -1): void {
  const ordered = stops();
  if (ordered.length === 0) return;
  const getBlock = (at: number) => {
    const anchor = ordered[at]?.anchor;
    return anchor && findAnchorBlocks(state().document, anchor)[0];
  };
  const at = ordered.findIndex(({ id }) => id === state().activeId);
  const isHere = at !== -1 && (ordered[at]?.anchor === undefined || isBlockInWindow(getBlock(at)));
  const read = isHere ? undefined : blockBeingRead();
  const next =
    read === undefined
      ? at === -1 && step === -1
        ? -1
        : at + step
      : nextFrom(
          ordered.map((_, index) => getBlock(index)),
          read,
          step,
        );
  const target = ordered.at(next % ordered.length);
  set({ activeId: target?.id, isSidebarOpen: state().isSidebarOpen });
  useThreads.setState({ activeId: target?.id });
}

/** Returns the annotations and open threads in document order. */
function stops(): readonly Pick<PlanAnnotation, "id" | "anchor">[] {
  const { annotations, document } = state();
  const { threads } = useThreads.getState();
  const ordered = inDocumentOrder(annotations);
  if (threads.length === 0) return ordered;
  const open = inReviewOrder(threads).filter((thread) => thread.state === "open");
  const all = [
    ...ordered,
    ...open.map((thread) => {
      const anchor = threadAnchor(document, thread);
      return { id: thread.id, ...(anchor && { anchor }) };
    }),
  ];
  return all.toSorted((a, b) => (a.anchor?.start ?? -1) - (b.anchor?.start ?? -1));
}

/**
 * Returns the index of the first block at or after the one being read; for step -1, of the last block before
 * it.
 */
function nextFrom(blocks: readonly (number | undefined)[], read: number, step: 1 | -1): number {
  const found =
    step === 1
      ? blocks.findIndex((block) => block !== undefined && block >= read)
      : blocks.findLastIndex((block) => block === undefined || block < read);
  return found === -1 ? (step === 1 ? 0 : -1) : found;
}

/** Moves the cursor to the next or previous block, or to a visible block if the cursor is not in the window. */
export function moveCursor(step: 1 | -1): void {
  const next = blockBeside(state().cursor, step);
  if (next !== undefined) setCursor(next);
}

/** Sets the cursor to a removed text. */
export const setRemovedCursor = (removedCursor: number) => set({ cursor: undefined, removedCursor });
