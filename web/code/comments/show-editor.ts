import { flushSync } from "react-dom";
import type { DiffController } from "../diff/controller.ts";
import { useComments } from "../state/comments.ts";
import { currentPosition } from "../state/positions.ts";

let shownIn: DiffController | undefined;

/** Names the diff that editors are shown in. */
export function showEditorsIn(controller: DiffController): void {
  shownIn = controller;
}

/** Brings a comment's open editor into view and gives it the focus, before the next key comes. */
export function showEditor(id: string): void {
  const editor = editorOf(id) ?? broughtIntoView(id);
  if (!editor) return;
  const thread = editor.closest<HTMLElement>(".thread-row");
  if (thread) shownIn?.reveal(thread);
  else editor.scrollIntoView({ block: "nearest" });
  const field =
    editor.querySelector<HTMLTextAreaElement>(".suggestion-code") ?? editor.querySelector("textarea");
  field?.focus({ preventScroll: true });
  if (!field?.matches(".suggestion-code")) field?.setSelectionRange(field.value.length, field.value.length);
}

/** Keeps the whole of an open editor in view after it has grown. */
export function revealEditor(id: string): void {
  const thread = editorOf(id)?.closest<HTMLElement>(".thread-row");
  if (thread) shownIn?.reveal(thread);
}

function editorOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.comment-open[data-comment="${CSS.escape(id)}"]`);
}

/** Only what is near the window exists as elements. */
function broughtIntoView(id: string): HTMLElement | null {
  const comment = useComments.getState().comments.find((each) => each.id === id);
  if (!comment || comment.path === undefined) return null;
  const { path, place } = comment;
  const now = currentPosition(comment);
  flushSync(() => {
    if (place && "end" in now) shownIn?.scrollToLine({ path, side: place.side, number: now.end }, true);
    else shownIn?.scrollToFile(path);
  });
  return editorOf(id);
}
