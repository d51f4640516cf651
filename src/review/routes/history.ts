import type { FastifyInstance } from "fastify";
import type { ReviewContext } from "../context.ts";

/** GET /api/history: earlier rounds of the plan or branch under review, oldest first. */
export function historyRoute(app: FastifyInstance, context: ReviewContext): void {
  app.get("/api/history", () => context.mode.history(context));
}
