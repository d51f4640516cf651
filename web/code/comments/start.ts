import { flushSync } from "react-dom";
import { fenced } from "../../../src/render/markdown/fences.ts";
import type { DiffFile, Thread } from "../../../src/review/api-types.ts";
import { announce, showToast } from "../../shared/components/toast.tsx";
import { newId } from "../../shared/new-id.ts";
import { type CommentType, isBlank, type ReviewComment } from "../core/comment.ts";
import { formatLines } from "../core/feedback.ts";
import {
  addComment,
  changeComment,
  discardChanges,
  editComment,
  removeComment,
  startComment,
  useComments,
} from "../state/comments.ts";
import { getLastLine, getStart, type LineRange, useCursor } from "../state/cursor.ts";
import { diffLabel } from "../state/diff-label.ts";
import { shownNotebook } from "../state/notebooks.ts";
import { describeLines } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { setFolded, useView } from "../state/view.ts";
import { showEditor } from "./show-editor.ts";

/**
 * Opens an editor below the lines, with the text that was typed so far. A suggestion starts with the lines' code.
 * Returns false if the lines cannot be commented on, for example because the patch of their file is not loaded.
 */
export function commentOnLines(range: LineRange, type: CommentType, typed = ""): boolean {
  const { files, patches, since } = useSession.getState();
  const file = files.find(({ path }) => path === range.path);
  const patch = file && patches?.get(file.index);
  if (!file || !patch) return false;
  if (since !== undefined && range.side === "old") {
    showToast("Cannot comment here: the line was removed since your feedback. Select a line of the diff.");
    return false;
  }
  const notebook = shownNotebook(file);
  const anchor = notebook
    ? notebook.anchorAt(range.side, getStart(range), getLastLine(range))
    : describeLines(range, patch);
  const lines = notebook ? { ...range, from: anchor.start, to: anchor.end } : range;
  const open = openEditorOn(lines);
  // Keeps the lines selected while the person writes.
  useCursor.setState({
    range: lines,
    cursor: { path: range.path, side: range.side, number: anchor.end },
  });
  if (open) {
    reopen(open, typed);
    return true;
  }
  const isSuggestion = type === "suggestion" && range.side === "new" && !notebook;
  // A notebook's file is JSON, so a suggestion would have to be JSON. The code is put into the comment's text
  // instead.
  const isCodeInText = type === "suggestion" && notebook !== undefined;
  if (type === "suggestion" && !isSuggestion && !isCodeInText)
    showToast("Suggestions work only on lines that still exist");
  start({
    ...blank(isSuggestion || type !== "suggestion" ? type : "comment"),
    text: isCodeInText ? `${typed}${fenced(anchor.lines.join("\n"), "")}\n` : typed,
    path: file.path,
    ...(file.oldPath !== undefined && file.oldPath !== file.path && { oldPath: file.oldPath }),
    place: anchor,
    ...(isSuggestion && { suggestion: anchor.lines.join("\n") }),
  });
  announce(`Comment on ${formatLines(anchor.start, anchor.end)}`);
  return true;
}

/** Opens an editor for a comment on a file, with a text to continue. Reuses an open editor without content. */
export function commentOnFile(file: DiffFile, text = ""): void {
  setFolded(file, false);
  const open = openEditor(({ path, place: anchor }) => path === file.path && anchor === undefined);
  if (open) reopen(open, text);
  else start({ ...blank("comment"), path: file.path, text });
}

/** Opens an editor for a comment on the whole change, with the text that was typed so far. */
export function commentOnAll(typed = ""): void {
  useView.setState({ commentsOpen: true });
  const open = openEditor(({ path }) => path === undefined);
  if (open) reopen(open, typed);
  else start({ ...blank("comment"), text: typed });
}

/**
 * Adds a comment with the text of an accepted finding: on its lines if the patch of its file is loaded, or otherwise on
 * its file if the diff has it, or on the whole change.
 */
export function commentFromFinding({ anchor, messages }: Thread): void {
  const { files, patches } = useSession.getState();
  const path = "path" in anchor ? anchor.path : undefined;
  const file = files.find((each) => each.path === path);
  const patch = file && patches?.get(file.index);
  const { markdown = "", suggestedCode } = messages[0] ?? {};
  const range =
    anchor.kind === "lines"
      ? { path: anchor.path, side: anchor.side, from: anchor.lineStart, to: anchor.lineEnd }
      : undefined;
  const lines = range && patch ? describeLines(range, patch) : undefined;
  const isSuggestion = suggestedCode !== undefined && lines?.side === "new";
  addComment({
    ...blank(isSuggestion ? "suggestion" : "comment"),
    text: markdown,
    ...(file && { path: file.path }),
    ...(file?.oldPath !== undefined && file.oldPath !== file.path && { oldPath: file.oldPath }),
    ...(lines && { place: lines }),
    ...(isSuggestion && { suggestion: suggestedCode }),
  });
}

/** Opens the editor of an existing comment and scrolls to it. */
export function openComment(id: string): void {
  flushSync(() => editComment(id));
  showEditor(id);
}

/** Deletes a comment, and offers to undo this. */
export function deleteComment(comment: ReviewComment): void {
  const undo = removeComment(comment.id);
  showToast("Comment deleted", { action: { label: "Undo", run: undo } });
}

/** Discards the changes since the editor was opened, and offers to undo this. */
export function discardComment({ id }: ReviewComment): void {
  const isEdited = useComments.getState().before.has(id);
  const undo = discardChanges(id);
  if (!undo) return;
  showToast(isEdited ? "Changes discarded" : "Comment discarded", { action: { label: "Undo", run: undo } });
}

/** Renders synchronously, so that the next key is typed into the editor. */
function start(comment: ReviewComment): void {
  flushSync(() => startComment(comment));
  showEditor(comment.id);
}

function reopen({ id }: ReviewComment, typed: string): void {
  flushSync(() => {
    editComment(id);
    if (typed === "") return;
    useComments.setState({ typed: id });
    changeComment(id, (before) => ({ ...before, text: before.text + typed }));
  });
  showEditor(id);
}

/** Returns a comment that passes `isMeant` and whose editor is open and empty, or undefined. */
function openEditor(isMeant: (comment: ReviewComment) => boolean): ReviewComment | undefined {
  const { comments, editing } = useComments.getState();
  return comments.find((comment) => editing.has(comment.id) && isBlank(comment) && isMeant(comment));
}

/** Returns the comment on exactly these lines whose editor is open and empty, or undefined. */
function openEditorOn(range: LineRange): ReviewComment | undefined {
  return openEditor(
    ({ path, place: anchor }) =>
      path === range.path &&
      anchor?.side === range.side &&
      anchor.start === getStart(range) &&
      anchor.end === getLastLine(range),
  );
}

function blank(type: CommentType): ReviewComment {
  const { index } = useSession.getState();
  const diffType = index?.diffType ?? "";
  return {
    id: newId(),
    type,
    text: "",
    images: [],
    createdAt: new Date().toISOString(),
    diff: { type: diffType, label: diffLabel(index, diffType) },
  };
}
