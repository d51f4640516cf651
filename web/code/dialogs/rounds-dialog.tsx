import type { DiffFile, DiffRound, RoundAnnotation } from "../../../src/review/api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { Dialog } from "../../shared/components/dialog.tsx";
import { timeAgo } from "../../shared/time-ago.ts";
import { CommentBadge } from "../comments/comment-card.tsx";
import { CommentText } from "../comments/comment-text.tsx";
import { formatLines } from "../core/feedback.ts";
import { type SinceLast, sinceRound } from "../core/since-round.ts";
import type { DiffController } from "../diff/controller.ts";
import { setCursor } from "../state/cursor.ts";
import { useRounds } from "../state/rounds.ts";
import { useSession } from "../state/session.ts";
import { describeState } from "../state/since.ts";
import { openDialog, setFolded } from "../state/view.ts";

/** Renders a list of the feedback of earlier rounds, with the commented lines and the changes since. */
export function RoundsDialog({ controller }: { readonly controller: DiffController }) {
  const rounds = useRounds((state) => state.rounds);
  return (
    <Dialog title="Earlier feedback" wide onClose={() => openDialog("none")}>
      {rounds.toReversed().map((round) => (
        <section key={round.round} className="round">
          <h3>
            Round {round.round} <small>{timeAgo(round.sentAt)}</small>
          </h3>
          {round.annotations.length === 0 ? (
            <CommentText text={round.text} />
          ) : (
            <ul className="sidebar-list">
              {round.annotations.map((annotation) => (
                <li key={annotation.id}>
                  <EarlierComment annotation={annotation} round={round} controller={controller} />
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </Dialog>
  );
}

interface EarlierCommentProps {
  readonly annotation: RoundAnnotation;
  readonly round: DiffRound;
  readonly controller: DiffController;
}

function EarlierComment({ annotation, round, controller }: EarlierCommentProps) {
  const file = useSession(({ files }) => files.find(({ path }) => path === annotation.filePath));
  const isLast = useRounds(({ rounds }) => rounds.at(-1) === round);
  const position = useRounds(({ positions }) => positions.get(annotation.id));
  const compared = useRounds((state) => state.compared);
  // Only feedback on the same diff can be compared with the files of the diff.
  const isComparable =
    compared !== undefined && round.gitRef === compared.gitRef && round.diffType === compared.diffType;
  const since = file && isComparable ? sinceRound(round, file) : undefined;
  const fate =
    isLast && file && annotation.code !== undefined
      ? describeState(annotation, position)
      : describe(file, since);
  const show = () => {
    if (!file) return;
    openDialog("none");
    setFolded(file, false);
    const line = { path: file.path, side: annotation.side, number: position?.lineEnd ?? annotation.lineEnd };
    if (line.number > 0) setCursor(line);
    // Scrolls after the dialog has restored the focus.
    setTimeout(() =>
      line.number > 0 ? controller.scrollToLine(line, true) : controller.scrollToFile(file.path),
    );
  };
  return (
    <article className={`comment comment-${annotation.type}`}>
      <div className="comment-head">
        <CommentBadge type={annotation.type} />
        <span className="comment-position">
          {annotation.filePath},{" "}
          {annotation.lineEnd === 0
            ? "the whole file"
            : formatLines(annotation.lineStart, annotation.lineEnd)}
          <span className="comment-status">{fate}</span>
        </span>
        {file && (
          <Button small onClick={show}>
            Show
          </Button>
        )}
      </div>
      {annotation.code !== undefined && <pre className="round-code">{annotation.code}</pre>}
      {annotation.text && <CommentText text={annotation.text} />}
      {annotation.suggestedCode !== undefined && <pre className="round-code">{annotation.suggestedCode}</pre>}
    </article>
  );
}

function describe(file: DiffFile | undefined, since: SinceLast | undefined): string {
  if (file === undefined) return "file not in this diff";
  if (since === undefined) return "";
  return since === "same" ? "file unchanged since" : "file changed since";
}
