import type { FastifyInstance } from "fastify";
import { AppError } from "../../../errors.ts";
import { isFromPage } from "../../../http/page.ts";
import type { ApproveBody } from "../../api-types.ts";
import { approveBody, parseBody } from "../../body-schemas.ts";
import type { ReviewContext } from "../../context.ts";
import type { DecisionSource } from "../../decision.ts";
import { takeDecision } from "../../take-decision.ts";
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

/**
 * Throws `forbidden` if an edited plan does not come from the page: a program could have the person approve one plan
 * and the agent carry out another. An unchanged plan is accepted from anywhere.
 */
function checkPageOnly({ plan }: ApproveBody, isFromPage: boolean, review: PlanReview): void {
  if (isFromPage || plan === undefined || plan === review.plan) return;
  throw new AppError(
    "forbidden",
    "plan: an edited plan is accepted from the review page only. Reload the page, or send the decision without it.",
  );
}
