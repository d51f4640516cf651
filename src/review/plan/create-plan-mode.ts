import { decisionJson, decisionText } from "../hooks/generic.ts";
import type { ReviewMode } from "../review-mode.ts";
import { approveRoute } from "../routes/approve.ts";
import { denyRoute } from "../routes/deny.ts";
import { notesVaultsRoute } from "../routes/notes-vaults.ts";
import { planRoute } from "../routes/plan.ts";
import type { PlanReview } from "./plan-review.ts";

/** The plan server's half of a review server. */
export function createPlanMode(review: PlanReview): ReviewMode {
  return {
    kind: "plan",
    registerRoutes(app, context) {
      planRoute(app, context, review);
      approveRoute(app, context, review);
      denyRoute(app, context, review);
      notesVaultsRoute(app, review);
    },
    draftKey: () => review.planId,
    history: async () => ({ rounds: (await review.history)?.earlier ?? [] }),
    present(decision) {
      if (decision.kind === "feedback") throw new Error("a plan review cannot end with feedback on a diff");
      return { title: review.title, text: decisionText(decision), json: decisionJson(decision) };
    },
  };
}
