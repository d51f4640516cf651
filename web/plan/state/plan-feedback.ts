import { createTwoFilesPatch } from "diff";
import { parseMarkdown } from "../../../src/render/markdown/parse/parse-markdown.ts";
import { composeFeedback } from "../model/compose-feedback.ts";
import { editedPlan, type ReviewState } from "./review-store.ts";

/** Returns the feedback for the agent: composed or, for requested changes, as the person edited it. */
export function getFeedback(state: ReviewState, purpose: "request-changes" | "approve"): string {
  if (purpose === "request-changes" && state.rewritten !== undefined) return state.rewritten;
  return composedFeedback(state, purpose);
}

/**
 * Composes the feedback. The feedback of an approval has no diff, because the approval contains the whole edited plan.
 */
export function composedFeedback(state: ReviewState, purpose: "request-changes" | "approve"): string {
  const edited = editedPlan(state);
  const isOfSent = edited !== undefined && purpose === "request-changes";
  return composeFeedback({
    source: state.document.source,
    annotations: state.annotations,
    ...(isOfSent && { sent: parseMarkdown(state.plan?.plan ?? "") }),
    note: state.note,
    edits: isOfSent ? formatEdits(state.plan?.plan ?? "", edited) : "",
    purpose,
  });
}

function formatEdits(before: string, after: string): string {
  const patch = createTwoFilesPatch("plan.md", "plan.md", before, after, "as presented", "as it should be", {
    context: 2,
  });
  // The library's header lines are not part of a patch.
  return patch.slice(Math.max(0, patch.indexOf("--- ")));
}
