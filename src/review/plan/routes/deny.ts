import type { FastifyInstance } from "fastify";
import { denyBody, parseBody } from "../../body-schemas.ts";
import type { ReviewContext } from "../../context.ts";
import type { DecisionSource } from "../../decision.ts";
import { takeDecision } from "../../take-decision.ts";
import { checkPlanSeen } from "../check-plan-seen.ts";
import type { PlanReview } from "../plan-review.ts";
import { proposeDenial } from "../propose.ts";
import { plannedCopies, saveCopies } from "../save/save-copies.ts";

/** POST /api/deny: denies the plan with the feedback and ends the review. */
export function denyRoute(app: FastifyInstance, context: ReviewContext, review: PlanReview): void {
  app.post("/api/deny", async (request, reply) => {
    const body = parseBody(denyBody, request.body);
    checkPlanSeen(body.planId, review);
    const { decision, warnings } = proposeDenial(body);
    const { planSave } = await context.settings.read();
    const copies = plannedCopies(body, planSave, review);
    const save = () => saveCopies(copies, decision, review);
    const keepRound = async (from: DecisionSource) => (await review.history)?.decide(decision, from);
    return takeDecision(context, reply, { decision, warnings, save, keepRound });
  });
}
