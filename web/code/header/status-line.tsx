import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import { clockTime } from "../../shared/clock-time.ts";
import type { DraftStatus } from "../../shared/drafts/autosave.ts";
import { countUnsentMessages, useThreads } from "../../shared/threads/thread-store.ts";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { comparedCommand } from "../state/diff-label.ts";
import { useDraft } from "../state/draft.ts";
import { useSession } from "../state/session.ts";

/** Renders the status line: the numbers of threads and of comments, the save state, the diff and the connection. */
export function StatusLine() {
  const comments = useComments((state) => nonEmptyComments(state.comments).length);
  const threads = useThreads((state) => state.threads.length);
  const messages = useThreads(countUnsentMessages);
  const status = useDraft((draft) => draft.status);
  const connected = useSession((session) => session.connected && session.closing === undefined);
  const compared = useSession(({ index }) => (index ? comparedCommand(index) : ""));
  const paths = useSession((session) => session.index?.paths);
  const limit = paths ? ` -- ${withDeceptionsShown(paths.join(" "))}` : "";
  return (
    <footer className="status-line">
      <span>{describeCount(threads, comments + messages)}</span>
      <span>{draftText(status, connected)}</span>
      <span className="status-ref">
        {compared}
        {limit}
      </span>
      <span>{connected ? "Connected" : "Not connected"}</span>
    </footer>
  );
}

/**
 * Formats the numbers of threads, and of comments and replies in the draft. Threads are stored on the server, and can
 * contain unsent messages, for example from an editor.
 */
function describeCount(threads: number, comments: number): string {
  if (threads === 0) return plural(comments, "comment");
  const all = plural(threads, "thread");
  return comments === 0 ? all : `${all}, ${plural(comments, "unsent comment")}`;
}

function plural(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function draftText(status: DraftStatus, connected: boolean): string {
  switch (status.state) {
    case "saved":
      return `Draft saved ${clockTime(status.savedAt)}`;
    case "pending":
      return "Saving the draft …";
    case "failing":
    case "superseded":
      return "Draft not saved";
    case "absent":
      return "Drafts are stored only in this page";
    default:
      return connected ? "Comments are saved as you type" : "Comments are kept only in this page";
  }
}
