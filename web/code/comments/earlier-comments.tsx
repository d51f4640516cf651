import { useRounds } from "../state/rounds.ts";
import { useSession } from "../state/session.ts";
import { earlierComments } from "../state/since.ts";
import { CommentBadge } from "./comment-card.tsx";
import { CommentText } from "./comment-text.tsx";

/** Renders the comments of the last round below one line, each with the state of its lines. */
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
            sent last round<span className="comment-status">{state}</span>
          </span>
        </div>
        {annotation.text && <CommentText text={annotation.text} />}
        {annotation.suggestedCode !== undefined && (
          <pre className="round-code">{annotation.suggestedCode}</pre>
        )}
      </article>
    ));
}
