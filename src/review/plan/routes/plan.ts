import type { FastifyInstance } from "fastify";
import type { PlanState } from "../../api-types.ts";
import type { ReviewContext } from "../../context.ts";
import type { PlanReview } from "../plan-review.ts";

/** GET /api/plan: the plan and everything that the page needs to show it. */
export function planRoute(app: FastifyInstance, context: ReviewContext, review: PlanReview): void {
  app.get("/api/plan", async (): Promise<PlanState> => {
    const [history, settings] = await Promise.all([review.history, context.settings.read()]);
    const { permissionMode, missing, requested } = review;
    return {
      plan: review.plan,
      origin: context.origin,
      ...(permissionMode !== undefined && context.origin === "origin_a" ? { permissionMode } : {}),
      sharingEnabled: context.sharingEnabled,
      planId: review.planId,
      sessionId: context.sessionId,
      title: review.title,
      caller: context.caller,
      round: context.threads.live?.state.round ?? history?.round ?? 1,
      settings,
      requested,
      missing,
      ...(context.ask ? { ask: { model: context.ask.model } } : {}),
      live: context.threads.live?.state,
    };
  });
}
