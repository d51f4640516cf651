import type { FastifyInstance } from "fastify";
import type { ReviewContext } from "../context.ts";

/**
 * GET /api/agents: the agents that a decision may switch to (origin_b). Always 200, as the page works without them.
 */
export function agentsRoute(app: FastifyInstance, { agents }: ReviewContext): void {
  app.get("/api/agents", () => agents());
}
