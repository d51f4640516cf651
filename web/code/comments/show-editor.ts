import { flushSync } from "react-dom";
import type { DiffController } from "../diff/controller.ts";
import { useComments } from "../state/comments.ts";
import { currentPosition } from "../state/positions.ts";

let shownIn: DiffController | undefined;

/** Sets the controller of the diff that contains the editors. */
export function showEditorsIn(controller: DiffController): void {
  shownIn = controller;
}

/** Scrolls to a comment's open editor and focuses it synchronously, so that the next key is typed into it. */
export function showEditor(id: string): void {
  const editor = findEditor(id) ?? scrollToEditor(id);
  if (!editor) return;
  const thread = editor.closest<HTMLElement>(".thread-row");
  if (thread) shownIn?.reveal(thread);
  else editor.scrollIntoView({ block: "nearest" });
  const field =
    editor.querySelector<HTMLTextAreaElement>(".suggestion-code") ?? editor.querySelector("textarea");
  field?.focus({ preventScroll: true });
  if (!field?.matches(".suggestion-code")) field?.setSelectionRange(field.value.length, field.value.length);
}

/**
 * Brings the end of an open editor, with its buttons, into view once its new height is laid out. Returns a function
 * that cancels this; undefined if the editor is not rendered in the diff.
 */
export function revealEditor(id: string): (() => void) | undefined {
  const thread = findEditor(id)?.closest<HTMLElement>(".thread-row");
  if (!thread) return undefined;
  // Observers run in the order of their creation, so the thread has reported its new height.
  const observer = new ResizeObserver(() => {
    observer.disconnect();
    // Renders the diff's new height first, because the browser does not scroll beyond the old end.
    flushSync(() => undefined);
    shownIn?.reveal(thread, "end");
  });
  observer.observe(thread);
  return () => observer.disconnect();
}

function findEditor(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.comment-open[data-comment="${CSS.escape(id)}"]`);
}

/** Scrolls to the editor, because only rows near the window are rendered. */
function scrollToEditor(id: string): HTMLElement | null {
  const comment = useComments.getState().comments.find((each) => each.id === id);
  if (!comment || comment.path === undefined) return null;
  const { path, place: anchor } = comment;
  const now = currentPosition(comment);
  flushSync(() => {
    if (anchor && "end" in now) shownIn?.scrollToLine({ path, side: anchor.side, number: now.end }, true);
    else shownIn?.scrollToFile(path);
  });
  return findEditor(id);
}
