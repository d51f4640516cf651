import { showToast } from "../../shared/components/toast.tsx";
import { firstInWindow, isInWindow } from "../dom/visible-blocks.ts";
import { setCursor } from "../state/actions.ts";
import { setRemovedCursor } from "../state/moving.ts";
import { useReview } from "../state/review-store.ts";

/**
 * Moves the cursor to the next or previous change. If the cursor is not on a visible change, counts from the top of the
 * window.
 */
export function moveToChange(step: 1 | -1): void {
  const changes = changeElements();
  if (changes.length === 0) {
    showToast(hint());
    return;
  }
  const next = changes[nextIndex(changes, step)];
  if (!next) return;
  const { removed } = next.dataset;
  if (removed !== undefined) setRemovedCursor(Number(removed));
  else setCursor(getBlock(next));
  next.scrollIntoView({ block: "center" });
}

/** Returns the message for a view without changes to move to. */
function hint(): string {
  const { view, changesAs } = useReview.getState();
  if (view !== "changes") return "No changes here. Press v to show the changes.";
  return changesAs === "raw" ? "Choose “Rendered” to move between changes." : "Nothing has changed.";
}

/** Returns the outermost element of each change, in reading order. */
function changeElements(): HTMLElement[] {
  const root = useReview.getState().view === "changes" ? document.querySelector(".plan") : null;
  const found = [...(root?.querySelectorAll<HTMLElement>("[data-change], .removed-text") ?? [])];
  return found.filter((element) => !element.parentElement?.closest("[data-change]"));
}

function nextIndex(changes: readonly HTMLElement[], step: 1 | -1): number {
  const { cursor, removedCursor } = useReview.getState();
  const at = changes.findIndex((change) =>
    removedCursor === undefined
      ? cursor !== undefined && getBlock(change) === cursor
      : change.dataset["removed"] === String(removedCursor),
  );
  const current = changes[at];
  if (current && isInWindow(current)) return (at + step + changes.length) % changes.length;
  const first = firstInWindow(changes);
  if (step === 1) return Math.max(0, first);
  return first === -1 ? changes.length - 1 : (first - 1 + changes.length) % changes.length;
}

/** Returns the block of a change, or the first block in it. */
function getBlock(change: HTMLElement): number | undefined {
  const element = change.matches("[data-block]") ? change : change.querySelector<HTMLElement>("[data-block]");
  return element ? Number(element.dataset["block"]) : undefined;
}
