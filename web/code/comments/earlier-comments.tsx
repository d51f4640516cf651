import type { RoundAnnotation } from "../../../src/review/api-types.ts";
import { formatLines } from "../core/feedback.ts";
import { useRounds } from "../state/rounds.ts";
import { useSession } from "../state/session.ts";
import { earlierComments } from "../state/since.ts";
import { CommentBadge } from "./comment-card.tsx";
import { CommentText } from "./comment-text.tsx";

/** Describes the position of a comment of the last round, by the line numbers of that round. */
function describePosition({ lineStart, lineEnd, side }: RoundAnnotation): string {
  if (lineStart === 0) return "sent last round, on the whole file";
  return `sent last round, on ${formatLines(lineStart, lineEnd)}${side === "old" ? ", before the change" : ""}`;
}

/** Renders the comments of the last round in one widget, each with the state of its lines. */
export function EarlierComments({ widgetKey }: { readonly widgetKey: string }) {
  useRounds(({ positions }) => positions);
  useSession(({ since }) => since);
  return earlierComments()
    .filter(({ widget }) => widget.key === widgetKey)
    .map(({ annotation, state }) => (
      <article
        key={annotation.id}
        className={`comment comment-${annotation.type} comment-earlier`}
        aria-label={`Your earlier comment: ${state}`}
      >
        <div className="comment-head">
          <CommentBadge type={annotation.type} />
          <span className="comment-position">
            {describePosition(annotation)}
            <span className="comment-status">{state}</span>
          </span>
        </div>
        {annotation.text && <CommentText text={annotation.text} />}
        {annotation.suggestedCode !== undefined && (
          <pre className="round-code">{annotation.suggestedCode}</pre>
        )}
      </article>
    ));
}
