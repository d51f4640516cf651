import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import { CONNECTION_LIMITS, closeUnused } from "./connection-limits.ts";
import { refuseUnreadable } from "./refuse-unreadable.ts";

export interface AppLimits {
  /** Bytes of a request body; more is 413. */
  readonly bodyLimit: number;
  /** Milliseconds until a request's headers must be whole. */
  readonly headersTimeout?: number;
  /** Milliseconds until a request must be whole, its body included. */
  readonly requestTimeout?: number;
  /** Take a path with broken percent signs as it is written, where every path has an answer, instead of refusing it. */
  readonly acceptAnyPath?: boolean;
  /** Sees each request before Fastify does; true where it has taken it over. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/**
 * A Fastify instance with the limits both servers share. `forceCloseConnections` lets `close()` end open event streams.
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

/** The same path where it can be decoded, else one that says it literally. */
function decodable(url: string): string {
  try {
    decodeURI(url);
    return url;
  } catch {
    return url.replaceAll("%", "%25");
  }
}

/** Bodies are parsed with zod; leaving Fastify's own schema compilers out keeps them from being loaded at all. */
function noSchemas(): never {
  throw new Error("routes carry no JSON schema here");
}
