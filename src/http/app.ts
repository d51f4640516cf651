import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import { CONNECTION_LIMITS, closeUnused } from "./connection-limits.ts";
import { refuseUnreadable } from "./refuse-unreadable.ts";

export interface AppLimits {
  /** Maximum bytes of a request body; beyond: 413. */
  readonly bodyLimit: number;
  /** Time limit for a request's headers, in milliseconds. */
  readonly headersTimeout?: number;
  /** Time limit for a whole request, in milliseconds. */
  readonly requestTimeout?: number;
  /** Accept paths with invalid percent-encoding literally instead of rejecting them. */
  readonly acceptAnyPath?: boolean;
  /** Called with each request before Fastify; returns true if it handles the request. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/**
 * Returns a Fastify instance with the limits that both servers share. `forceCloseConnections` lets `close()` end open
 * event streams.
 */
export function createApp(limits: AppLimits): FastifyInstance {
  const { connectionsCheckingInterval, maxHeaderSize, keepAliveTimeout } = CONNECTION_LIMITS;
  const headersTimeout = limits.headersTimeout ?? CONNECTION_LIMITS.headersTimeout;
  const requestTimeout = limits.requestTimeout ?? CONNECTION_LIMITS.requestTimeout;
  const times = { requestTimeout, keepAliveTimeout };
  const http = { headersTimeout, connectionsCheckingInterval, maxHeaderSize };
  const { first } = limits;
  const serverFactory = (others: RequestListener) =>
    createServer({ ...http, ...times }, (request, response) => {
      if (!first?.(request, response)) others(request, response);
    });
  const app = Fastify({
    bodyLimit: limits.bodyLimit,
    ...times,
    forceCloseConnections: true,
    clientErrorHandler: refuseUnreadable,
    exposeHeadRoutes: true,
    ...(limits.acceptAnyPath ? { rewriteUrl: ({ url = "/" }: IncomingMessage) => decodable(url) } : {}),
    routerOptions: { maxParamLength: 2_048 },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    ...(first ? { serverFactory } : { http }),
  });
  closeUnused(app.server);
  return app;
}

/** Returns the URL if it can be decoded, else with its percent signs escaped. */
function decodable(url: string): string {
  try {
    decodeURI(url);
    return url;
  } catch {
    return url.replaceAll("%", "%25");
  }
}

/** Replaces Fastify's schema compilers, so that they are not loaded: bodies are parsed with zod. */
function noSchemas(): never {
  throw new Error("routes carry no JSON schema here");
}
