import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../errors.ts";
import { pathOf } from "../http/path-of.ts";
import { encodeFault, type Fault, faultOf } from "./dialect-errors.ts";
import { noteRefusal } from "./door.ts";
import { callersDialect } from "./models/describe-models.ts";
import { type Route, routes } from "./routes.ts";
import type { Services } from "./services.ts";

/** Answers failures outside model calls, and paths that are none, in the dialect of the route or of the caller. */
export function addProxyErrors(
  app: FastifyInstance,
  services: Services,
  onInternal: (error: unknown) => void,
): void {
  app.setErrorHandler(async (error: FastifyError | AppError, request, reply) => {
    const fault = error instanceof AppError ? faultOf(error) : frameworkFault(error);
    if (fault.status >= 500 && !(error instanceof AppError)) onInternal(error);
    const body = encodeFault(dialectOf(request), fault, services.nextRequestId());
    if (!request.raw.complete && fault.status !== 401) reply.header("connection", "close");
    return reply
      .code(fault.status)
      .header("content-type", "application/json; charset=utf-8")
      .send(services.runtime().redact(body));
  });
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    const allowed = methodsOf(path);
    if (allowed.length > 0) reply.header("allow", allowed.join(", "));
    const error = missed(allowed);
    noteRefusal(request, error, services);
    throw error;
  });
}

function missed(allowed: readonly string[]): AppError {
  if (allowed.length === 0)
    return new AppError("not_found", "There is no such path; docs/proxy.md lists all");
  return new AppError("method_not_allowed", `This path takes ${allowed.join(", ")}`);
}

function frameworkFault(error: FastifyError): Fault {
  const status = error.statusCode ?? 500;
  return status < 500 ? { status, message: error.message } : faultOf(error);
}

function dialectOf(request: FastifyRequest) {
  const { route } = request.routeOptions.config;
  if (route) return callersDialect(route.dialect, request.headers);
  const path = pathOf(request.url);
  return callersDialect(routes.find((each) => covers(each, path))?.dialect, request.headers);
}

function methodsOf(path: string): string[] {
  return [...new Set(routes.filter((route) => covers(route, path)).map((route) => route.method))];
}

/** Whether a path is one of a route's, whatever the method. */
function covers(route: Route, path: string): boolean {
  const pattern = route.path.split("/").map((part) => {
    if (part === "*") return ".+";
    return part.startsWith(":") ? "[^/]+" : part.replace(/[.]/g, "\\.");
  });
  return new RegExp(`^${pattern.join("/")}$`).test(path);
}
