import type { FastifyInstance } from "fastify";
import type { ReviewContext } from "../context.ts";

/** GET /api/history: earlier rounds of what is under review, oldest first. */
export function historyRoute(app: FastifyInstance, context: ReviewContext): void {
  app.get("/api/history", () => context.mode.history(context));
}
