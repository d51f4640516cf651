import { createTwoFilesPatch } from "diff";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { editedPlan, type ReviewState } from "../state/review-store.ts";
import { composeFeedback } from "./compose-feedback.ts";

/** What the agent will be told beside the decision: as composed, or as the person rewrote it. */
export function feedbackOf(state: ReviewState, purpose: "request-changes" | "approve"): string {
  if (purpose === "request-changes" && state.rewritten !== undefined) return state.rewritten;
  return composedFeedback(state, purpose);
}

/** The feedback as the notes make it. An approval hands an edited plan over whole, so it needs no diff. */
export function composedFeedback(state: ReviewState, purpose: "request-changes" | "approve"): string {
  const edited = editedPlan(state);
  const isOfSent = edited !== undefined && purpose === "request-changes";
  return composeFeedback({
    source: state.document.source,
    annotations: state.annotations,
    ...(isOfSent && { sent: parseMarkdown(state.plan?.plan ?? "") }),
    note: state.note,
    edits: isOfSent ? editsOf(state.plan?.plan ?? "", edited) : "",
    purpose,
  });
}

function editsOf(before: string, after: string): string {
  const patch = createTwoFilesPatch("plan.md", "plan.md", before, after, "as presented", "as it should be", {
    context: 2,
  });
  // The library begins with lines of its own that no patch needs.
  return patch.slice(Math.max(0, patch.indexOf("--- ")));
}
