import type { FastifyInstance } from "fastify";
import type { ReviewContext } from "../context.ts";

/** GET /api/history: earlier rounds of the plan under review, oldest first; none for a diff. */
export function historyRoute(app: FastifyInstance, context: ReviewContext): void {
  app.get("/api/history", () => context.mode.history(context));
}
