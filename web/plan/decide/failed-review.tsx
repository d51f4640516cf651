import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { describeDoubt, undeliveredTitle } from "../../shared/caller-doubt.ts";
import { FailedPage } from "../../shared/components/failed-page.tsx";
import { allAnnotations } from "../state/actions.ts";
import { approve, requestChanges } from "../state/decide.ts";
import { getFeedback } from "../state/plan-feedback.ts";
import { editedPlan, type ReviewState, useReview } from "../state/review-store.ts";
import { toSaveTargets } from "../state/settings.ts";

/**
 * Renders the page after a rendering failure: the comments, and the decisions that are still possible. Uses no other
 * component of the page.
 */
export function FailedReview({ message }: { readonly message: string }) {
  const isOpen = useReview((state) => state.phase !== "done");
  const comments = useReview((state) => commentsText(state, "request-changes"));
  const deny = { label: comments === "" ? "Deny" : "Request changes", send: sendComments };
  const decisions = [deny, { label: "Approve", send: sendApproval }];
  const name = useReview((state) => state.plan?.caller.name ?? "The agent");
  const response = useReview(({ outcome }) =>
    outcome && "response" in outcome ? outcome.response : undefined,
  );
  return (
    <FailedPage
      message={message}
      comments={comments}
      decisions={isOpen ? decisions : []}
      doubt={
        response?.doubt && {
          title: undeliveredTitle(response.doubt),
          text: describeDoubt(name, response.doubt),
        }
      }
      warnings={response?.warnings ?? []}
    />
  );
}

async function sendComments(): Promise<string | undefined> {
  const feedback = commentsText(useReview.getState(), "request-changes");
  const annotations = commentsOrNone();
  return (
    (await requestChanges({ ...(feedback !== "" && { feedback }), planSave: planSave(), annotations })) ??
    alreadyDecided()
  );
}

async function sendApproval(): Promise<string | undefined> {
  const state = useReview.getState();
  const { approvalNote = "none", takesEditedPlan = false } = state.plan?.caller ?? {};
  const feedback = approvalNote === "none" ? "" : commentsText(state, "approve");
  const edited = takesEditedPlan ? editedPlan(state) : undefined;
  const body = {
    planSave: planSave(),
    annotations: commentsOrNone(),
    ...(feedback !== "" && { feedback }),
    ...(edited !== undefined && { plan: edited }),
  };
  return (await approve(body)) ?? alreadyDecided();
}

function planSave() {
  const settings = useReview.getState().plan?.settings;
  return settings ? toSaveTargets(settings, "").planSave : {};
}

function alreadyDecided(): string | undefined {
  const { outcome } = useReview.getState();
  return outcome?.kind === "elsewhere"
    ? "This plan was already decided in another tab or program."
    : undefined;
}

/** Returns the composed feedback or, if composing it fails, all quoted and typed text without formatting. */
function commentsText(state: ReviewState, purpose: "request-changes" | "approve"): string {
  try {
    return getFeedback({ ...state, annotations: allAnnotations() }, purpose);
  } catch {
    const typed = [state.note, state.composer?.text, ...state.annotations.flatMap(textsIn), state.typed];
    return typed.filter((text) => typeof text === "string" && text !== "").join("\n\n");
  }
}

function textsIn({ text, replacement, anchor }: PlanAnnotation): (string | undefined)[] {
  return [anchor?.quote, replacement, text];
}

function commentsOrNone(): readonly PlanAnnotation[] {
  try {
    return allAnnotations();
  } catch {
    return useReview.getState().annotations;
  }
}
