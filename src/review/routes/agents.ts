import type { FastifyInstance } from "fastify";
import type { ReviewContext } from "../context.ts";

/**
 * GET /api/agents: the agents that a decision may switch to; empty unless the review's origin is `origin_b`. The status
 * is 200 even if they cannot be read, because the page works without agents.
 */
export function agentsRoute(app: FastifyInstance, { agents }: ReviewContext): void {
  app.get("/api/agents", () => agents());
}
