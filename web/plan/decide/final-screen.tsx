import { Copy } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import type { CallerDoubt, DecisionResponse } from "../../../src/review/api-types.ts";
import { describeDoubt, undeliveredTitle } from "../../shared/caller-doubt.ts";
import { copyAndReport } from "../../shared/clipboard.ts";
import { Button } from "../../shared/components/button.tsx";
import { PageState } from "../../shared/components/page-state.tsx";
import { dismissAll } from "../../shared/components/toast.tsx";
import { setTitle } from "../../shared/next-review.ts";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { allAnnotations } from "../state/actions.ts";
import { composedFeedback } from "../state/plan-feedback.ts";
import { type Outcome, useReview } from "../state/review-store.ts";

/** Shows the result of the decision and the feedback that was sent, or why no decision was made on this page. */
export function FinalScreen() {
  const outcome = useReview((state) => state.outcome);
  useEffect(dismissAll, []);
  if (!outcome) return null;
  if (outcome.kind === "finished") return <Finished feedback={outcome.feedback} doubt={outcome.doubt} />;
  return outcome.kind === "approved" || outcome.kind === "denied" ? (
    <Decided outcome={outcome} />
  ) : (
    <Undelivered kind={outcome.kind} byProgram={outcome.kind === "elsewhere" && outcome.byProgram === true} />
  );
}

function FinalMessage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useEffect(() => setTitle(title), [title]);
  return <PageState title={title}>{children}</PageState>;
}

function Decided({ outcome }: { readonly outcome: Extract<Outcome, { response: DecisionResponse }> }) {
  const name = useReview((state) => state.plan?.caller.name ?? "The agent");
  const { feedback, response, permissionMode, agentSwitch } = outcome;
  const doubt = response.doubt;
  const approved = outcome.kind === "approved";
  return (
    <FinalMessage title={doubt ? undeliveredTitle(doubt) : approved ? "Plan approved" : "Changes requested"}>
      {doubt && (
        <p className="callout" role="alert">
          <span>
            {describeDoubt(name, doubt)} Your decision ({approved ? "approved" : "changes requested"}) is
            saved. To deliver it, paste the text below into its terminal, or let the agent run{" "}
            <code>sallyport review last</code>.
          </span>
        </p>
      )}
      <p hidden={doubt !== undefined}>
        {sentenceStart(name)} {approved ? "goes ahead" : "received the request to revise the plan"}
        {permissionMode && (
          <>
            {" "}
            in mode <code>{permissionMode}</code>
          </>
        )}
        {agentSwitch && (
          <>
            {" "}
            with <code>{agentSwitch}</code>
          </>
        )}
        . If you leave this tab open, the next review of this project opens here.
      </p>
      {(response.warnings ?? []).map((warning) => (
        <p key={warning} className="callout">
          {warning}
        </p>
      ))}
      {response.savedPath && (
        <p className="hint">
          A copy is at <code>{response.savedPath}</code>
        </p>
      )}
      <SentText heading={`Feedback for ${name}`} text={feedback || silence(approved)} />
      <p className="hint" hidden={doubt !== undefined}>
        If the agent did not receive it, <code>sallyport review last</code> prints it again.
      </p>
    </FinalMessage>
  );
}

interface FinishedProps {
  readonly feedback: string;
  readonly doubt: CallerDoubt | undefined;
}

/** Renders the end of a live review that the person ended without approval. */
function Finished({ feedback, doubt }: FinishedProps) {
  const name = useReview((state) => state.plan?.caller.name ?? "The agent");
  return (
    <FinalMessage title={doubt ? undeliveredTitle(doubt) : "Review finished"}>
      {doubt && (
        <p className="callout" role="alert">
          {describeDoubt(name, doubt)} Your comments are saved: they are delivered with the next plan of its
          session.
        </p>
      )}
      <p hidden={doubt !== undefined}>
        {sentenceStart(name)} receives a message that the review has ended. If you leave this tab open, the
        next review of this project opens here.
      </p>
      {feedback !== "" && <SentText heading="Last message" text={feedback} />}
    </FinalMessage>
  );
}

function silence(approved: boolean): string {
  return approved ? "Plan approved." : "Plan rejected by user";
}

const TITLES = {
  elsewhere: "Already decided",
  "caller-gone": "The agent is no longer waiting",
  timeout: "This review timed out",
  stopped: "This review was stopped",
  ended: "This review has ended",
  idle: "This review ended because no page or agent was connected",
} as const;

interface UndeliveredProps {
  readonly kind: keyof typeof TITLES;
  readonly byProgram: boolean;
}

function Undelivered({ kind, byProgram }: UndeliveredProps) {
  const state = useReview();
  const name = state.plan?.caller.name ?? "The agent";
  const annotations = allAnnotations();
  const feedback = state.rewritten ?? composedFeedback({ ...state, annotations }, "request-changes");
  return (
    <FinalMessage title={TITLES[kind]}>
      {byProgram ? (
        <p className="callout" role="alert">
          <strong>A program decided this plan, not a person on this page.</strong> The program connected to
          this review's port on your machine. If you do not know which program it was, stop {name} and check
          what it does. Nothing from this tab was sent.
        </p>
      ) : kind === "elsewhere" ? (
        <p>This plan was decided in another tab. Nothing from this tab was sent.</p>
      ) : kind === "ended" ? (
        <p>
          The agent ended the review, or you ended it in another tab. Your comments are saved as a draft and
          return with the same plan.
        </p>
      ) : (
        <p>
          No decision was made on this page. {sentenceStart(name)} may have been stopped, or the plan may have
          been decided in its own window. Your comments are saved as a draft and return with the same plan.
        </p>
      )}
      {feedback !== "" && <SentText heading="Your comments" text={feedback} />}
      <p className="hint">
        <code>sallyport review last</code> prints the last decision.
      </p>
    </FinalMessage>
  );
}

function SentText({ heading, text }: { readonly heading: string; readonly text: string }) {
  return (
    <section className="sent-feedback sent-feedback-final">
      <div className="sent-feedback-head">
        <h2>{heading}</h2>
        <Button small onClick={() => void copyAndReport(text, "Copied")}>
          <Copy size={15} aria-hidden /> Copy
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <pre className="sent-feedback-preview" tabIndex={0}>
        {text.trim()}
      </pre>
    </section>
  );
}
