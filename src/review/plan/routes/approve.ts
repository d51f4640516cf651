import type { FastifyInstance } from "fastify";
import { isFromPage } from "../../../http/page-token.ts";
import { approveBody, parseBody } from "../../body-schemas.ts";
import type { ReviewContext } from "../../context.ts";
import type { DecisionSource } from "../../decision.ts";
import { takeDecision } from "../../take-decision.ts";
import { checkPageOnly } from "../check-page-only.ts";
import { checkPlanSeen } from "../check-plan-seen.ts";
import type { PlanReview } from "../plan-review.ts";
import { proposeApproval } from "../propose.ts";
import { plannedCopies, saveCopies } from "../save/save-copies.ts";

/** POST /api/approve: approves the plan and ends the review. */
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
