import { flushSync } from "react-dom";
import type { PlanAnchor } from "../../../src/review/api-types.ts";
import { openAsk, useAsk } from "../../shared/ask/ask-store.ts";
import { showToast } from "../../shared/components/toast.tsx";
import { lineRange } from "../model/annotations.ts";
import { startAnnotation, updateComposer } from "../state/actions.ts";
import { editedPlan, useReview } from "../state/review-store.ts";

/**
 * Opens a question to the configured model: about the passage of `anchor` if possible, otherwise about the whole plan.
 */
export function askAbout(anchor: PlanAnchor | undefined): void {
  if (useAsk.getState().model === undefined) {
    showToast("No model is configured. Set review.ask in the configuration file.");
    return;
  }
  // The server has only the plan that the agent sent, so a question cannot be about other text.
  const isInPlan = anchor && !anchor.removed && editedPlan(useReview.getState()) === undefined;
  const insert = (text: string) =>
    flushSync(() => {
      startAnnotation(anchor ? "comment" : "general", anchor);
      updateComposer({ text });
    });
  if (isInPlan)
    openAsk({
      title: `${lineRange(anchor)} of the plan`,
      anchor: { kind: "plan", start: anchor.start, end: anchor.end },
      insert,
    });
  else openAsk({ title: "the plan", anchor: { kind: "review" }, insert });
}
