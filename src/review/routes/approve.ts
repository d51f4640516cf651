import type { FastifyInstance } from "fastify";
import { isFromPage } from "../../http/page-token.ts";
import { approveBody, parseBody } from "../body-schemas.ts";
import type { DecisionSource } from "../decision.ts";
import { checkPageOnly } from "../plan/check-page-only.ts";
import { checkPlanSeen } from "../plan/check-plan-seen.ts";
import type { PlanReview } from "../plan/plan-review.ts";
import { proposeApproval } from "../plan/propose.ts";
import { plannedCopies, saveCopies } from "../plan/save-copies.ts";
import type { ReviewContext } from "../review-mode.ts";
import { takeDecision } from "../take-decision.ts";

/** POST /api/approve: the plan may be carried out. Ends the review. */
export function approveRoute(app: FastifyInstance, context: ReviewContext, review: PlanReview): void {
  app.post("/api/approve", async (request, reply) => {
    const body = parseBody(approveBody, request.body);
    checkPlanSeen(body.planId, review);
    checkPageOnly(body, isFromPage(request, context.pageToken), review);
    const agents = body.agentSwitch ? (await context.agents()).agents : [];
    const { origin } = context;
    const { decision, warnings } = proposeApproval(body, { ...review, origin, agents });
    const { planSave } = await context.settings.read();
    const copies = plannedCopies(body, planSave, review);
    const save = () => saveCopies(copies, decision, review);
    const keepRound = async (from: DecisionSource) => (await review.history)?.decide(decision, from);
    return takeDecision(context, reply, { decision, warnings, save, keepRound });
  });
}
