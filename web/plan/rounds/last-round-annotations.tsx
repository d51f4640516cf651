import { Check } from "lucide-react";
import { memo, useMemo } from "react";
import { classNames } from "../../../src/render/class-names.ts";
import type { PlanAnchor, PlanAnnotation, Round } from "../../../src/review/api-types.ts";
import { Button } from "../../shared/components/button.tsx";
import { announce } from "../../shared/components/toast.tsx";
import { VirtualList } from "../../shared/components/virtual-list.tsx";
import { AnnotationText, shortened } from "../annotate/annotation-card.tsx";
import { beside } from "../annotate/margin.ts";
import { TypeIcon } from "../annotate/type-icon.tsx";
import { findAnchorBlocks } from "../model/anchor.ts";
import {
  inDocumentOrder,
  MAX_RENDERED_CARDS,
  pastAnnotations,
  relocateAnnotations,
  repeatedId,
  typeNames,
} from "../model/annotations.ts";
import { withoutPreamble } from "../model/compose-feedback.ts";
import { type RequestState, requestState } from "../model/request-state.ts";
import { addAnnotations, setCursor, setView } from "../state/actions.ts";
import { useReview } from "../state/review-store.ts";

/**
 * Lists the comments of the last round, sent or unsent, with the state of each request. Without comments, shows the
 * feedback of the round.
 */
export const LastRoundAnnotations = memo(function LastRoundAnnotations() {
  const last = useReview((state) => state.rounds.at(-1));
  const current = useReview((state) => state.annotations);
  if (!last) return null;
  const annotations = pastAnnotations(last, current);
  const feedback = last.decision?.feedback ?? "";
  if (annotations.length === 0 && !feedback) return null;
  return (
    <section className="last-round" aria-label={`Comments of round ${last.round}`}>
      <h3>
        {last.decision ? "Requested in" : "Unsent comments from"} round {last.round}
      </h3>
      {annotations.length > 0 ? (
        <PastAnnotations round={last} annotations={annotations} />
      ) : (
        <AnnotationText text={withoutPreamble(feedback)} />
      )}
    </section>
  );
});

function PastAnnotations({
  round,
  annotations,
}: {
  readonly round: Round;
  readonly annotations: readonly PlanAnnotation[];
}) {
  const document = useReview((state) => state.document);
  const relocated = useMemo(
    () =>
      relocateAnnotations(document, inDocumentOrder(annotations)).map((each) => ({
        ...each,
        id: each.annotation.id,
      })),
    [document, annotations],
  );
  // The offsets of sent annotations refer to the plan of their round.
  const asSent = useMemo(() => new Map(annotations.map((each) => [each.id, each])), [annotations]);
  const stateOf = (id: string, lost: boolean): RequestState => {
    const annotation = asSent.get(id);
    return annotation ? requestState(round.plan, document, annotation, lost) : { text: "" };
  };
  return (
    <VirtualList
      className="cards"
      items={relocated}
      activeId={undefined}
      renderAllUpTo={MAX_RENDERED_CARDS}
      render={({ annotation, lost }, item) => (
        <li key={annotation.id} className="card card-past" {...item} {...beside(annotation.anchor)}>
          <div className="card-position">
            <TypeIcon type={annotation.type} />
            <span className="card-type">{typeNames[annotation.type]}</span>
            <StateOfRequest state={stateOf(annotation.id, lost)} />
          </div>
          <div className="card-body">
            {annotation.anchor && (
              <blockquote className="card-quote">{shortened(annotation.anchor.quote)}</blockquote>
            )}
            {annotation.replacement && <pre className="card-proposal">{annotation.replacement}</pre>}
            {annotation.text && <AnnotationText text={annotation.text} />}
            <PastTools annotation={annotation} lost={lost} round={round} />
          </div>
        </li>
      )}
    />
  );
}

/** Moves the cursor to the text of an annotation: in the changes if they are shown, otherwise in the plan. */
function showPosition(anchor: PlanAnchor): void {
  const { document, view } = useReview.getState();
  if (view !== "plan" && view !== "changes") setView("plan");
  setCursor(findAnchorBlocks(document, anchor)[0]);
}

function StateOfRequest({ state: { text, isMet } }: { readonly state: RequestState }) {
  const tone = isMet === undefined ? undefined : isMet ? "card-met" : "card-unmet";
  return (
    <span className={classNames("card-lines", tone)}>
      {isMet && <Check size={13} aria-hidden />} {text}
    </span>
  );
}

interface PastToolsProps {
  readonly annotation: PlanAnnotation;
  readonly lost: boolean;
  readonly round: Round;
}

function PastTools({ annotation, lost, round }: PastToolsProps) {
  const { anchor } = annotation;
  return (
    <span className="card-past-tools no-print">
      {anchor && (
        <Button small variant="quiet" onClick={() => showPosition(anchor)}>
          Show
        </Button>
      )}
      {!lost && (
        <Button
          small
          variant="quiet"
          onClick={() => {
            const added = addAnnotations([{ ...annotation, id: repeatedId(annotation.id, round) }]);
            announce(added > 0 ? "Comment added again" : "Already in your comments");
          }}
        >
          Ask again
        </Button>
      )}
    </span>
  );
}
