import { withDeceptionsShown } from "../../../src/render/markdown/deceptive.ts";
import { clockTime } from "../../shared/clock-time.ts";
import type { DraftStatus } from "../../shared/drafts/autosave.ts";
import { nonEmptyComments, useComments } from "../state/comments.ts";
import { comparedCommand } from "../state/diff-label.ts";
import { useDraft } from "../state/draft.ts";
import { useSession } from "../state/session.ts";

/** Renders the status line: the number of comments and the save state. */
export function StatusLine() {
  const count = useComments(({ comments }) => nonEmptyComments(comments).length);
  const status = useDraft((draft) => draft.status);
  const connected = useSession((session) => session.connected && session.closing === undefined);
  const compared = useSession(({ index }) => (index ? comparedCommand(index) : ""));
  const paths = useSession((session) => session.index?.paths);
  const limit = paths ? ` -- ${withDeceptionsShown(paths.join(" "))}` : "";
  return (
    <footer className="status-line">
      <span>{count === 1 ? "1 comment" : `${count} comments`}</span>
      <span>{draftText(status, connected)}</span>
      <span className="status-ref">
        {compared}
        {limit}
      </span>
      <span>{connected ? "Connected" : "Not connected"}</span>
    </footer>
  );
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
