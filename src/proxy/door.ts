import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ProxyKey } from "../config/proxy-config.ts";
import { AppError } from "../errors.ts";
import { checkRequest } from "../http/guard.ts";
import { shownKeys } from "./auth/credentials.ts";
import { needsKey } from "./auth/policy.ts";
import type { Route } from "./routes.ts";
import type { Runtime } from "./runtime.ts";
import type { Services } from "./services.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The row of the route table; undefined where no route matched. */
    readonly route?: Route;
  }
  interface FastifyRequest {
    /** The key that was shown and is right. */
    key: ProxyKey | undefined;
    /** The configuration this request is served with, whatever is reloaded meanwhile. */
    runtime: Runtime;
  }
}

/**
 * What every request passes before anything else of it is looked at, whichever route it takes or misses: is the proxy
 * open, is the host ours, does it come from somebody's web page, has it been here before, has it the key.
 */
export function addDoor(app: FastifyInstance, services: Services): void {
  app.decorateRequest("key", undefined);
  app.decorateRequest("runtime", null as unknown as Runtime);
  app.addHook("onRequest", (request, reply, done) => {
    try {
      if (admit(request, reply, services)) done();
    } catch (error) {
      noteRefusal(request, error, services);
      done(error as Error);
    }
  });
}

/** Tells the person at the terminal, who would look there for the reason first. */
export function noteRefusal({ method, url }: FastifyRequest, error: unknown, services: Services): void {
  if (!(error instanceof AppError)) return;
  services.log.refused({
    time: new Date().toISOString(),
    method,
    path: services.runtime().redact(url.split("?", 1)[0] ?? ""),
    status: error.status,
    reason: error.message,
  });
}

/** False where the request has its answer already. Throws an `AppError` where it is refused. */
function admit(request: FastifyRequest, reply: FastifyReply, services: Services): boolean {
  const runtime = services.runtime();
  request.runtime = runtime;
  if (services.isDraining()) {
    reply.header("connection", "close");
    throw new AppError("overloaded", "The proxy is stopping");
  }
  const { rawHeaders } = request.raw;
  const { headers, url, method } = request;
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  const guarded = checkRequest({ method, path, rawHeaders }, runtime.guard);
  if (!guarded.allowed && guarded.reason === "host")
    return forbid(reply, "This proxy does not answer to that Host.");
  addCors(request, reply, runtime);
  if (method === "OPTIONS") {
    reply.code(204).send();
    return false;
  }
  const route = request.routeOptions.config.route;
  const queryToo = route?.dialect === "generative-language" && path.startsWith("/v1beta");
  request.key = runtime.keys.find(shownKeys(headers, url, queryToo));
  if (!guarded.allowed && request.key === undefined)
    return forbid(
      reply,
      "This request comes from a web page. List its origin in proxy.allowed_origins, or send a key.",
    );
  if (request.key === undefined && needsKey(runtime.authMode, route?.operation)) {
    reply.header("www-authenticate", 'Bearer realm="sallyport"');
    throw new AppError("unauthorized", "A valid API key of this proxy is needed");
  }
  if (headers["x-sallyport-via"]?.includes(services.via))
    throw new AppError(
      "loop",
      "This call has passed through this proxy before: an upstream points back at it",
    );
  return true;
}

/** Says no and closes: the body of a refused request is not worth reading. */
function forbid(reply: FastifyReply, message: string): never {
  reply.header("connection", "close");
  throw new AppError("forbidden", message);
}

/** Only origins on the list are told anything; `*` never is. */
function addCors({ headers, method }: FastifyRequest, reply: FastifyReply, { config }: Runtime): void {
  const { origin } = headers;
  if (origin === undefined || !config.allowedOrigins.includes(origin)) return;
  reply.header("access-control-allow-origin", origin).header("vary", "Origin");
  reply.header("access-control-expose-headers", "*");
  if (method !== "OPTIONS") return;
  reply.header("access-control-allow-methods", "GET, POST, DELETE, OPTIONS");
  const asked = headers["access-control-request-headers"];
  if (asked) reply.header("access-control-allow-headers", asked);
  reply.header("access-control-max-age", "600");
}
