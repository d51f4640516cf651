import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ProxyKey } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { getPath } from "../../http/request-path.ts";
import { isApiOperation } from "../auth/policy.ts";
import type { Route } from "../routes.ts";
import type { Runtime } from "../runtime.ts";
import type { Services } from "../services.ts";
import { admit, createConnectionLimitError, createRefusal, type RefusalReason } from "./admission.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The matching entry of the route table; undefined if no route matched. */
    readonly route?: Route;
  }
  interface FastifyRequest {
    /** The valid key that the client has sent, if any. */
    key: ProxyKey | undefined;
    /** The configuration at the time of admission; a reload does not change it. */
    runtime: Runtime;
  }
}

/** Adds a hook that runs admission (`admission.ts`) and sets the CORS headers, even if no route matches. */
export function addAdmissionHook(app: FastifyInstance, services: Services): void {
  app.decorateRequest("key", undefined);
  app.decorateRequest("runtime", null as unknown as Runtime);
  app.addHook("onRequest", (request, reply, done) => {
    try {
      if (enter(request, reply, services)) done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/**
 * Runs admission for one request. Returns false if the response has already been sent. Throws an `AppError` if the
 * request is rejected.
 */
function enter(request: FastifyRequest, reply: FastifyReply, services: Services): boolean {
  const runtime = services.runtime();
  request.runtime = runtime;
  const { method, url, headers, raw } = request;
  const peer = raw.socket.remoteAddress;
  const arrival = { method, url, path: getPath(url), peer, headers, rawHeaders: raw.rawHeaders };
  const { route } = request.routeOptions.config;
  const { key, refusal } = admit(arrival, route, runtime, services);
  request.key = key;
  const isAboveLimit = services.connections.isAbove(raw.socket);
  // Clients without a key must not keep connections open, because they could occupy all of them.
  if (isAboveLimit || (key === undefined && runtime.authMode !== "off")) reply.header("connection", "close");
  if (refusal !== "stopping" && refusal !== "host") {
    addCors(request, reply, runtime);
    if (method === "OPTIONS") {
      reply.code(204).send();
      return false;
    }
  }
  const hasSentKey = headers.authorization !== undefined;
  const isApi = isApiOperation(route?.operation);
  if (refusal === "key" && hasSentKey && isApi && !services.gateway.directory.isRead)
    throw new AppError("overloaded", "The database with the keys is not open yet; try again in a moment");
  if (refusal) return refuse(reply, refusal, runtime.forwarding.host(peer, headers) ?? headers.host);
  if (isAboveLimit && route?.operation !== "health" && route?.operation !== "readiness")
    throw createConnectionLimitError();
  return true;
}

function refuse(reply: FastifyReply, refusal: RefusalReason, host: string | undefined): never {
  // Closes the connection, because further requests over it would probably be rejected too.
  if (refusal === "stopping" || refusal === "host" || refusal === "page") reply.header("connection", "close");
  if (refusal === "key") reply.header("www-authenticate", 'Bearer realm="sallyport"');
  throw createRefusal(refusal, host);
}

/** Adds CORS headers for the origins in `proxy.allowed_origins` only. The allowed origin is never `*`. */
function addCors({ headers, method }: FastifyRequest, reply: FastifyReply, { config }: Runtime): void {
  const { origin } = headers;
  if (origin === undefined || !config.allowedOrigins.includes(origin)) return;
  reply.header("access-control-allow-origin", origin).header("vary", "Origin");
  reply.header("access-control-expose-headers", "*");
  if (method !== "OPTIONS") return;
  reply.header("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS");
  const asked = headers["access-control-request-headers"];
  if (asked) reply.header("access-control-allow-headers", asked);
  reply.header("access-control-max-age", "600");
}
