import type { FastifyInstance } from "fastify";
import { checkRequest, type GuardPolicy, type GuardReason } from "./guard.ts";
import { pathOf } from "./path-of.ts";

const REMEDY: Record<GuardReason, string> = {
  host: "This server answers to localhost only. Open the URL that was printed.",
  origin: "This request came from another web page. Open the URL that was printed.",
  site: "This request came from another web page. Open the URL that was printed.",
};

/** Refuses foreign requests with 403 before anything else runs, on every route and on none. */
export function addGuard(
  app: FastifyInstance,
  policy: GuardPolicy,
  onRefused?: (reason: GuardReason, path: string) => void,
): void {
  app.addHook("onRequest", async (request, reply) => {
    const path = pathOf(request.url);
    const { method, raw, routeOptions } = request;
    const result = checkRequest(
      { method, path, route: routeOptions.url, rawHeaders: raw.rawHeaders },
      policy,
    );
    if (result.allowed) return;
    onRefused?.(result.reason, path);
    // The body of a refused request is not worth reading.
    await reply.code(403).header("connection", "close").send({ error: REMEDY[result.reason] });
  });
}
