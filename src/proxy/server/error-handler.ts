import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import { toAllowHeader } from "../../http/allow-header.ts";
import { sendEarly } from "../../http/early-response.ts";
import { getPath } from "../../http/request-path.ts";
import { encodeProxyError, type ProxyError, toProxyError } from "../dialect-errors.ts";
import { dialects, getProfile } from "../dialects/index.ts";
import { callersDialect } from "../models/describe-models.ts";
import { servePassThrough, takesUnknown } from "../pipeline/serve-pass-through.ts";
import {
  COMMON_METHODS,
  type Route,
  type RouteDialect,
  routes,
  takesPath,
  UNKNOWN_PATHS,
} from "../routes.ts";
import type { Services } from "../services.ts";
import { toExceptionName } from "./cloud-clients/bedrock-exceptions.ts";
import { noteRefusal } from "./note-refusal.ts";
import { takeOver } from "./take-over.ts";

/**
 * Adds handlers for errors outside model calls and for unknown paths. They respond in the route's or client's dialect.
 */
export function addProxyErrors(
  app: FastifyInstance,
  services: Services,
  onInternal: (error: unknown) => void,
): void {
  app.setErrorHandler(async (error: FastifyError | AppError, request, reply) => {
    const rejection = error instanceof AppError ? toProxyError(error) : toFrameworkError(error);
    if (rejection.status >= 500 && !(error instanceof AppError)) onInternal(error);
    noteRefusal(request.raw, request.routeOptions.config.route, rejection, services);
    if (rejection.status === 401 && asksForPage(request)) return sendLockedPage(reply, services);
    const dialect = getDialect(request);
    const body = services.runtime().redact(encodeProxyError(dialect, rejection, services.nextRequestId()));
    if (dialect === "bedrock") reply.header("x-amzn-errortype", toExceptionName(rejection.status, ""));
    reply.code(rejection.status);
    const { retryAfterSeconds } = rejection;
    if (retryAfterSeconds !== undefined) reply.header("retry-after", String(retryAfterSeconds));
    if (rejection.isFinal) reply.header("x-should-retry", "false");
    if (!request.raw.complete) return sendEarly(reply, body);
    return reply.header("content-type", "application/json; charset=utf-8").send(body);
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = getPath(request.url);
    const allowed = listMethods(path);
    const { raw, runtime } = request;
    if (allowed.length === 0 && takesUnknown({ request: raw, runtime }, UNKNOWN_PATHS)) {
      await servePassThrough(takeOver(request, reply), UNKNOWN_PATHS, services, true);
      return;
    }
    if (allowed.length > 0) reply.header("allow", toAllowHeader(allowed));
    // Clients without a key must not keep connections open by requesting unknown paths.
    if (request.key === undefined) reply.header("connection", "close");
    // A final error prevents Claude Code from repeating a request that the proxy does not support.
    if (allowed.length === 0 && path.startsWith("/v1/messages/"))
      throw new AppError("not_supported", `The proxy does not serve ${path}`, { isFinal: true });
    throw missed(path, allowed);
  });
}

/** Returns whether a person has opened `/` in a browser: API clients do not accept HTML. */
function asksForPage({ routeOptions, headers }: FastifyRequest): boolean {
  return routeOptions.config.route?.operation === "home" && /\btext\/html\b/.test(headers.accept ?? "");
}

async function sendLockedPage(reply: FastifyReply, services: Services): Promise<unknown> {
  const { serveLocked } = await import("../dashboard/serve-dashboard.ts");
  return serveLocked(reply, services);
}

function missed(path: string, allowed: readonly string[]): AppError {
  if (allowed.length === 0)
    return new AppError("not_found", `Unknown path: ${hintFor(path)}. The proxy serves ${listPaths(path)}`);
  return new AppError("method_not_allowed", `Method not allowed; use ${allowed.join(", ")}`);
}

/** Returns the served paths that do not end with a wildcard: those with the same first segment, or else all. */
function listPaths(path: string): string {
  const [, first = ""] = path.split("/");
  const all = [...new Set(routes.map((route) => route.path).filter((each) => !each.endsWith("/*")))];
  const near = all.filter((each) => each.startsWith(`/${first}/`));
  return (near.length > 0 ? near : all).sort().join(", ");
}

/** Returns a hint for an unknown path. The usual cause is a base URL with a missing or a repeated `/v1`. */
function hintFor(path: string): string {
  if (path.startsWith("/v1/v1") && isCovered(path.slice(3))) return "remove /v1 from the base URL";
  if (isCovered(`/v1${path}`)) return "add /v1 to the base URL";
  return /^\/v1(?:beta)?\//.test(path)
    ? "the proxy does not serve this operation"
    : "model calls go to /v1/… and /v1beta/…";
}

function toFrameworkError(error: FastifyError): ProxyError {
  const status = error.statusCode ?? 500;
  return status < 500 ? { status, message: error.message } : toProxyError(error);
}

function getDialect(request: FastifyRequest) {
  const { route } = request.routeOptions.config;
  if (route) return callersDialect(route.dialect, request.headers);
  const path = getPath(request.url);
  const spoken = routes.find((each) => matchesPath(each, path))?.dialect ?? dialectUnder(path);
  return callersDialect(spoken, request.headers);
}

/** Returns the dialect whose error format fits an unknown path, by its prefix. */
function dialectUnder(path: string): RouteDialect {
  const owner = dialects.find((dialect) => getProfile(dialect).client.errorPaths?.test(path));
  if (owner !== undefined) return owner;
  return path.startsWith("/v1/") ? "by-caller" : "plain";
}

/** Returns the methods of a path for error messages, without HEAD (implied by GET) and OPTIONS (always allowed). */
function listMethods(path: string): string[] {
  const taking = routes.filter((route) => matchesPath(route, path) && route.operation !== "websocket");
  const methods = taking.flatMap(({ method }) => (method === "COMMON" ? COMMON_METHODS : [method]));
  return [...new Set(methods)].filter((method) => method !== "HEAD");
}

function isCovered(path: string): boolean {
  return routes.some((route) => matchesPath(route, path));
}

/** Returns whether a path belongs to a route, regardless of the method. */
function matchesPath(route: Route, path: string): boolean {
  const pattern = route.path.split("/").map((part) => {
    if (part === "*") return ".+";
    return part.startsWith(":") ? "[^/]+" : part.replace(/[.]/g, "\\.");
  });
  return new RegExp(`^${pattern.join("/")}$`).test(path) && takesPath(route, path);
}
