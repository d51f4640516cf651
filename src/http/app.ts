import { createServer, IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { AppError } from "../errors.ts";
import { CONNECTION_LIMITS, closeUnused } from "./connection-limits.ts";
import { sendEarly } from "./early-response.ts";
import { refuseUnreadable } from "./refuse-unreadable.ts";

export interface AppLimits {
  /** Maximum bytes of a request body; a larger one is rejected with 413. */
  readonly bodyLimit: number;
  /** Time limit for a request's headers, in milliseconds; `CONNECTION_LIMITS` has the default. */
  readonly headersTimeout?: number;
  /** Time limit for a whole request, in milliseconds; `CONNECTION_LIMITS` has the default. */
  readonly requestTimeout?: number;
  /** Whether paths with invalid percent-encoding are accepted literally instead of being rejected. */
  readonly acceptAnyPath?: boolean;
  /**
   * Certificate and key, as PEM. If set, the server expects HTTPS. `createServer` is passed in, so that only callers
   * that may need it load `node:https`.
   */
  readonly tls?:
    | { readonly cert: string; readonly key: string; readonly createServer: typeof createSecureServer }
    | undefined;
  /**
   * Returns whether a request with an `Upgrade` header may change the protocol. If so, the server emits `upgrade` for
   * it. Other requests are served as if they had no such header (RFC 9110, section 7.8).
   */
  readonly isUpgrade?: (request: IncomingMessage) => boolean;
  /** Called with each request before Fastify; returns true if it handles the request. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** Returns a Fastify instance with the limits that all servers share. `close()` ends open event streams. */
export function createApp(limits: AppLimits): FastifyInstance {
  const { connectionsCheckingInterval, maxHeaderSize, keepAliveTimeout } = CONNECTION_LIMITS;
  const headersTimeout = limits.headersTimeout ?? CONNECTION_LIMITS.headersTimeout;
  const requestTimeout = limits.requestTimeout ?? CONNECTION_LIMITS.requestTimeout;
  const times = { requestTimeout, keepAliveTimeout };
  const { first, tls, isUpgrade } = limits;
  const messages = isUpgrade ? { IncomingMessage: createMessageClass(isUpgrade) } : {};
  const http = { headersTimeout, connectionsCheckingInterval, maxHeaderSize, ...messages };
  const serverFactory = (others: RequestListener) => {
    const serve: RequestListener = (request, response) => {
      if (!first?.(request, response)) others(request, response);
    };
    if (tls === undefined) return createServer({ ...http, ...times }, serve);
    const { cert, key, createServer: createTlsServer } = tls;
    return createTlsServer({ ...http, ...times, cert, key, handshakeTimeout: headersTimeout }, serve);
  };
  const app = Fastify({
    bodyLimit: limits.bodyLimit,
    ...times,
    forceCloseConnections: true,
    clientErrorHandler: refuseUnreadable,
    exposeHeadRoutes: true,
    ...(limits.acceptAnyPath ? { rewriteUrl: ({ url = "/" }: IncomingMessage) => decodable(url) } : {}),
    routerOptions: { maxParamLength: 2_048 },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    ...(first || tls ? { serverFactory } : { http }),
  });
  closeUnused(app.server);
  return app;
}

/**
 * Returns a subclass of Node.js's request whose member `upgrade` depends on `isUpgrade`, except for CONNECT. Node.js
 * sets the member before the headers are known and reads it afterwards; if it is true, Node.js hands over the
 * connection.
 */
function createMessageClass(isUpgrade: (request: IncomingMessage) => boolean): typeof IncomingMessage {
  class Message extends IncomingMessage {
    declare asksForUpgrade: boolean | null;

    get upgrade(): boolean {
      return this.asksForUpgrade === true && (this.method === "CONNECT" || isUpgrade(this));
    }

    set upgrade(value: boolean | null) {
      this.asksForUpgrade = value;
    }
  }
  return Message;
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
  throw new Error("Routes must not have a JSON schema; parse bodies with zod");
}

/** Adds a handler that sends errors as `{error}`. `onFailure` receives those with status 500 or higher. */
export function addErrorHandler(app: FastifyInstance, onFailure?: (error: unknown) => void): void {
  app.setErrorHandler(async (error: FastifyError | AppError, _request, reply) => {
    if (error instanceof AppError) {
      if (error.status >= 500) onFailure?.(error);
      return reply.code(error.status).send({ error: error.message });
    }
    if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE" || error.statusCode === 413) {
      return sendEarly(reply.code(413), JSON.stringify({ error: "Request body is too large" }));
    }
    const status = error.statusCode ?? 500;
    if (status < 500) return reply.code(status).send({ error: error.message });
    onFailure?.(error);
    return reply.code(500).send({ error: "Internal server error" });
  });
}

/**
 * Handles each of a connection's pipelined requests after the response to the previous one has been sent. Otherwise,
 * Node.js would parse them together and order only the responses: the second of two decisions could be taken, and the
 * first rejected (RFC 9112, section 9.3.2).
 */
export function addRequestOrder(app: FastifyInstance): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    const previous = latest.get(socket);
    latest.set(socket, reply.raw);
    if (previous === undefined || previous.closed) done();
    else previous.once("close", () => done());
  });
}
