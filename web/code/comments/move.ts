import { announce } from "../../shared/components/toast.tsx";
import type { ReviewComment } from "../core/comment.ts";
import { linesOf } from "../core/feedback.ts";
import type { DiffController } from "../diff/controller.ts";
import { setCursor } from "../state/cursor.ts";
import { currentPosition } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { setFolded, useView } from "../state/view.ts";

/** Scrolls to a comment and moves the cursor to its line. A comment without a position opens the sidebar. */
export function goToComment(controller: DiffController, comment: ReviewComment): void {
  const file = useSession.getState().files.find(({ path }) => path === comment.path);
  const position = currentPosition(comment);
  if (!file || !("end" in position) || !comment.place) {
    if (file) {
      setFolded(file, false);
      controller.scrollToFile(file.path);
    } else useView.setState({ commentsOpen: true });
    return;
  }
  setFolded(file, false);
  const line = { path: file.path, side: comment.place.side, number: position.end };
  setCursor(line);
  controller.scrollToLine(line, true);
  announce(`${comment.type} on ${linesOf(position.start, position.end)} of ${file.path}`);
}
