import type { FastifyInstance } from "fastify";
import type { ReviewContext } from "../context.ts";

/** GET /api/events: server-sent events until the page disconnects or the review ends. */
export function eventsRoute(app: FastifyInstance, { events }: ReviewContext): void {
  app.get("/api/events", { exposeHeadRoute: false }, async (_request, reply) => {
    return reply.type("text/event-stream; charset=utf-8").send(events.open());
  });
}
