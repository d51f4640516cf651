import type { FastifyInstance } from "fastify";
import { parseBody, settingsBody } from "../body-schemas.ts";
import type { ReviewContext } from "../review-mode.ts";

/** GET and PUT /api/settings: what the person chose, for all reviews to come. A PUT leaves out what it keeps. */
export function settingsRoutes(app: FastifyInstance, { settings }: ReviewContext): void {
  app.get("/api/settings", () => settings.read());
  app.put("/api/settings", (request) => settings.change(parseBody(settingsBody, request.body)));
}
