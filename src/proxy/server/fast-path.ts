import type { IncomingMessage, ServerResponse } from "node:http";
import { pathOf } from "../../http/request-path.ts";
import { handleCall } from "../pipeline/handle-call.ts";
import { isModelRoute, routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { admit } from "./admission.ts";

const NONE = {} as const;
const NO_HEADERS: readonly string[] = [];

/** Routes of model calls without parameters, by their path. */
const straight = new Map(
  routes
    .filter(isModelRoute)
    .filter(({ method, path }) => method === "POST" && !/[:*]/.test(path))
    .map((route) => [route.path, route] as const),
);

/**
 * Serves calls to models before Fastify sees them, whose routing would cost as much as our own phases: those whose path
 * is a route's to the letter, that no web page makes, and that the door lets in. False for all others, which take
 * Fastify's way and meet the same door there (`door.ts`), to be answered by it where they are refused.
 */
export function straightCalls(
  services: Services,
  onInternal: (error: unknown) => void,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { method, url = "", headers, rawHeaders } = request;
    if (method !== "POST" || headers.origin !== undefined) return false;
    if (services.connections.isAbove(request.socket)) return false;
    const path = pathOf(url);
    const route = straight.get(path);
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
