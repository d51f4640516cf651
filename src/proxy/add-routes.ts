import { METHODS } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { AppError } from "../errors.ts";
import { getPath } from "../http/request-path.ts";
import type { McpGateway } from "./mcp/mcp-gateway.ts";
import { relayMcp } from "./mcp/relay-mcp.ts";
import { handleCall } from "./pipeline/handle-call.ts";
import { isPassedOn, servePassThrough } from "./pipeline/serve-pass-through.ts";
import { COMMON_METHODS, isModelRoute, MCP_GATEWAY, type Route, routes, takesPath } from "./routes.ts";
import { takeOver } from "./server/take-over.ts";
import { handleUtility } from "./server/utility-routes.ts";
import type { Services } from "./services.ts";

/** Keeps Fastify from reading bodies, because the handlers that need a body read it themselves. */
function leaveBodiesUnparsed(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null, undefined));
}

export function addRoutes(app: FastifyInstance, services: Services, mcp: McpGateway): void {
  leaveBodiesUnparsed(app);
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== "CONNECT")
      app.addHttpMethod(method, { hasBody: true });
  }
  for (const route of routes) {
    app.route({
      method: methodsOf(route, app),
      url: route.path,
      config: { route },
      exposeHeadRoute: route.method === "GET",
      ...servedBy(route, services, mcp),
    });
  }
}

function methodsOf({ method }: Route, app: FastifyInstance): string[] {
  if (method === "COMMON") return [...COMMON_METHODS];
  return method === "ANY" ? app.supportedMethods.filter((name) => name !== "OPTIONS") : [method];
}

/**
 * Returns the handlers of a route. The proxy takes over model, MCP and pass-through calls in `onRequest`, after
 * admission, because Fastify's later phases (parsing, validation, serialization) would double the proxy's own cost per
 * call and reject some requests that an MCP server accepts.
 */
function servedBy(
  route: Route,
  services: Services,
  mcp: McpGateway,
): Pick<RouteOptions, "handler" | "onRequest"> {
  if (route.operation === "mcp" && route.path === MCP_GATEWAY)
    return takenOver((request, reply) => mcp.serve(request, reply));
  if (route.operation === "mcp")
    return takenOver((request, reply) => relayMcp(request, reply, services, mcp.tokens));
  if (route.operation === "pass-through")
    return takenOver((request, reply) => servePassThrough(takeOver(request, reply), route, services));
  if (isModelRoute(route)) {
    const serve = (request: FastifyRequest, reply: FastifyReply) => {
      const taken = takeOver(request, reply);
      return route.operation === "by-method" && isPassedOn(getPath(request.url))
        ? servePassThrough(taken, route, services)
        : handleCall(taken, route, services);
    };
    if (!route.needsMethod) return takenOver(serve);
    return takenOver(async (request, reply) => {
      if (takesPath(route, getPath(request.url))) await serve(request, reply);
      else reply.callNotFound();
    });
  }
  return { handler: (request, reply) => handleUtility(request, reply, route, services) };
}

function takenOver(serve: (request: FastifyRequest, reply: FastifyReply) => Promise<void>) {
  return {
    onRequest(request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void) {
      serve(request, reply).catch(done);
    },
    handler() {
      throw new AppError("internal", "Fastify ran the handler of a call that its hook has taken over");
    },
  };
}
