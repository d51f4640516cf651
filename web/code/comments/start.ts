import type { DiffFile } from "../../../src/review/api-types.ts";
import { announce, showToast } from "../../shared/components/toast.tsx";
import { newId } from "../../shared/new-id.ts";
import type { CommentType, ReviewComment } from "../core/comment.ts";
import { linesOf } from "../core/feedback.ts";
import { editComment, removeComment, startComment, useComments } from "../state/comments.ts";
import { endOf, type LineRange, startOf, useCursor } from "../state/cursor.ts";
import { diffLabel } from "../state/diff-label.ts";
import { describeLines } from "../state/places.ts";
import { useSession } from "../state/session.ts";
import { setFolded } from "../state/view.ts";

/** Opens an editor under the lines. A suggestion starts from them as they are. */
export function commentOnLines(range: LineRange, type: CommentType): void {
  const { files, patches } = useSession.getState();
  const file = files.find(({ path }) => path === range.path);
  const patch = file && patches?.get(file.index);
  if (!file || !patch) return;
  const place = describeLines(range, patch);
  const open = openEditorOn(range);
  // The lines stay marked while they are written about.
  useCursor.setState({
    range,
    cursor: { path: range.path, side: range.side, number: endOf(range) },
  });
  if (open) {
    editComment(open.id);
    return;
  }
  const isSuggestion = type === "suggestion" && range.side === "new";
  if (type === "suggestion" && !isSuggestion) showToast("Removed lines can be commented on, not rewritten");
  startComment({
    ...blank(isSuggestion || type !== "suggestion" ? type : "comment"),
    path: file.path,
    ...(file.oldPath !== undefined && file.oldPath !== file.path && { oldPath: file.oldPath }),
    place,
    ...(isSuggestion && { suggestion: place.lines.join("\n") }),
  });
  announce(`Comment on ${linesOf(startOf(range), endOf(range))}`);
}

/** Opens an editor for a comment on a whole file. */
export function commentOnFile(file: DiffFile): void {
  setFolded(file, false);
  startComment({ ...blank("comment"), path: file.path });
}

/** Opens an editor for a comment on the change as a whole. */
export function commentOnAll(): void {
  startComment(blank("comment"));
}

/** Deletes a comment, with the way back for a while. */
export function deleteComment(comment: ReviewComment): void {
  const undo = removeComment(comment.id);
  showToast("Comment deleted", { action: { label: "Undo", run: undo } });
}

/** An editor without a word in it that is open on the same lines already. */
function openEditorOn(range: LineRange): ReviewComment | undefined {
  const { comments, editing } = useComments.getState();
  return comments.find(
    ({ id, path, place, text }) =>
      editing.has(id) &&
      text === "" &&
      path === range.path &&
      place?.side === range.side &&
      place.start === startOf(range) &&
      place.end === endOf(range),
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
