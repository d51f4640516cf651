import type { PlanAnnotation } from "../../../src/review/api-types.ts";
import { describeDoubt } from "../../shared/caller-doubt.ts";
import { FailedPage } from "../../shared/components/failed-page.tsx";
import { sentenceStart } from "../../shared/sentence-start.ts";
import { allNotes } from "../state/actions.ts";
import { approve, requestChanges } from "../state/decide.ts";
import { editedPlan, type ReviewState, useReview } from "../state/review-store.ts";
import { savesOf } from "../state/settings.ts";
import { feedbackOf } from "./plan-feedback.ts";

/** Replaces the plan page where it cannot be rendered: decides with what is known, without any other part of the page. */
export function FailedReview({ message }: { readonly message: string }) {
  const isOpen = useReview((state) => state.phase !== "done");
  const notes = useReview((state) => notesText(state, "request-changes"));
  const deny = { label: notes === "" ? "Deny" : "Request changes", send: sendNotes };
  const decisions = [deny, { label: "Approve", send: sendApproval }];
  const name = useReview((state) => state.plan?.caller.name ?? "The agent");
  const response = useReview(({ outcome }) => (outcome && "answer" in outcome ? outcome.answer : undefined));
  return (
    <FailedPage
      message={message}
      notes={notes}
      decisions={isOpen ? decisions : []}
      doubt={response?.doubt && describeDoubt(sentenceStart(name), response.doubt)}
      warnings={response?.warnings ?? []}
    />
  );
}

async function sendNotes(): Promise<string | undefined> {
  const feedback = notesText(useReview.getState(), "request-changes");
  const annotations = notesOrNone();
  return (
    (await requestChanges({ ...(feedback !== "" && { feedback }), planSave: planSave(), annotations })) ??
    alreadyDecided()
  );
}

async function sendApproval(): Promise<string | undefined> {
  const state = useReview.getState();
  const { approvalNote = "none", takesEditedPlan = false } = state.plan?.caller ?? {};
  const feedback = approvalNote === "none" ? "" : notesText(state, "approve");
  const edited = takesEditedPlan ? editedPlan(state) : undefined;
  const body = {
    planSave: planSave(),
    annotations: notesOrNone(),
    ...(feedback !== "" && { feedback }),
    ...(edited !== undefined && { plan: edited }),
  };
  return (await approve(body)) ?? alreadyDecided();
}

function planSave() {
  const settings = useReview.getState().plan?.settings;
  return settings ? savesOf(settings, "").planSave : {};
}

function alreadyDecided(): string | undefined {
  const { outcome } = useReview.getState();
  return outcome?.kind === "elsewhere"
    ? "This plan was already decided in another tab or program."
    : undefined;
}

/** What is composed of the notes may be the very thing that failed: then each note as it was typed. */
function notesText(state: ReviewState, purpose: "request-changes" | "approve"): string {
  try {
    return feedbackOf({ ...state, annotations: allNotes() }, purpose);
  } catch {
    const typed = [state.note, state.composer?.text, ...state.annotations.flatMap(wordsIn), state.typed];
    return typed.filter((text) => typeof text === "string" && text !== "").join("\n\n");
  }
}

function wordsIn({ text, replacement, anchor }: PlanAnnotation): (string | undefined)[] {
  return [anchor?.quote, replacement, text];
}

function notesOrNone(): readonly PlanAnnotation[] {
  try {
    return allNotes();
  } catch {
    return useReview.getState().annotations;
  }
}
