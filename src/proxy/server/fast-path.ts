import type { IncomingMessage, ServerResponse } from "node:http";
import { getPath } from "../../http/request-path.ts";
import { handleCall } from "../pipeline/handle-call.ts";
import { isModelRoute, routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { admit } from "./admission.ts";

const NONE = {} as const;
const NO_HEADERS: readonly string[] = [];

/** POST routes of model calls without parameters, by path. */
const fastRoutes = new Map(
  routes
    .filter(isModelRoute)
    .filter(({ method, path }) => method === "POST" && !/[:*]/.test(path))
    .map((route) => [route.path, route] as const),
);

/**
 * Creates a handler that serves model calls before Fastify, because Fastify's routing would double the proxy's own
 * cost. The handler serves a POST request if its path equals a route's path, it has no `Origin`, its connection is
 * within the limit, and it passes admission. For any other request, the handler returns false. Fastify then routes the
 * request, and `admission-hook.ts` runs admission again and sends the response to a rejected request.
 */
export function createFastPath(
  services: Services,
  onInternal: (error: unknown) => void,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { method, url = "", headers, rawHeaders } = request;
    if (method !== "POST" || headers.origin !== undefined) return false;
    if (services.connections.isAbove(request.socket)) return false;
    const path = getPath(url);
    const route = fastRoutes.get(path);
    if (route === undefined) return false;
    const runtime = services.runtime();
    const peer = request.socket.remoteAddress;
    const arrival = { method, url, path, peer, headers, rawHeaders };
    const { key, refusal } = admit(arrival, route, runtime, services);
    if (refusal !== undefined) return false;
    const admitted = { request, response, runtime, key, params: NONE, corsHeaders: NO_HEADERS };
    handleCall(admitted, route, services).catch((error: unknown) => {
      onInternal(error);
      response.destroy();
    });
    return true;
  };
}
