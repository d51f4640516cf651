import type { Thread } from "../../../src/review/api-types.ts";
import { announce } from "../../shared/components/toast.tsx";
import { useThreads } from "../../shared/threads/thread-store.ts";
import { threadStatus, threadSummary } from "../../shared/threads/threads.ts";
import type { ReviewComment } from "../core/comment.ts";
import { formatLines } from "../core/feedback.ts";
import type { DiffController } from "../diff/controller.ts";
import { setCursor } from "../state/cursor.ts";
import { currentPosition, fileAt } from "../state/positions.ts";
import { useSession } from "../state/session.ts";
import { setFolded, useView } from "../state/view.ts";

/**
 * Moves to the last line of a comment, or otherwise to its file. Opens the sidebar if the diff does not have the file.
 */
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
  announce(`${comment.type} on ${formatLines(position.start, position.end)} of ${file.path}`);
}

/**
 * Makes a thread active and moves to its last line, or otherwise to its file. Opens the sidebar if the diff does not
 * have the file.
 */
export function goToThread(controller: DiffController, thread: Thread): void {
  const { anchor, outdated, messages } = thread;
  useThreads.setState({ activeId: thread.id });
  const file = "path" in anchor ? fileAt(useSession.getState().files, anchor.path) : undefined;
  if (!file) useView.setState({ commentsOpen: true });
  else {
    setFolded(file, false);
    if (anchor.kind === "lines" && !outdated) {
      const line = { path: file.path, side: anchor.side, number: anchor.lineEnd };
      setCursor(line);
      controller.scrollToLine(line, true);
    } else {
      setCursor(undefined);
      controller.scrollToFile(file.path);
    }
  }
  const author = messages[0]?.author.name ?? "";
  announce(`${thread.type}${author && ` by ${author}`}, ${threadStatus(thread)}: ${threadSummary(thread)}`);
}
