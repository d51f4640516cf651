import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../../errors.ts";
import { endWithKey } from "../../../http/end-with-key.ts";
import type { McpTrace } from "../../observability/telemetry.ts";
import type { Redact } from "../../redact.ts";
import type { Services } from "../../services.ts";
import { clientDisconnected } from "../../upstream/upstream-errors.ts";
import type { McpCall } from "../mcp-call.ts";
import { beginMcpCall, type McpOutcome, recordMcpCall } from "../record-mcp-call.ts";
import type { GatewayServer } from "./access.ts";
import { checkStateless, isStatelessRequest } from "./check-stateless.ts";
import type { Emit } from "./client-stream.ts";
import { dispatch, type Routed, route } from "./dispatch.ts";
import {
  createError,
  isRequest,
  RPC_ERRORS,
  RpcFailure,
  type RpcMessage,
  type RpcRequest,
  type RpcResponse,
} from "./json-rpc.ts";
import { type McpHub, toOwner } from "./mcp-hub.ts";
import type { McpSession } from "./mcp-session.ts";
import { getMeta, hasFirstEvent, META, STATELESS } from "./revisions.ts";
import type { RpcWriter } from "./rpc-response.ts";
import { createSessionId, readClientFacts } from "./session-id.ts";
import { serveSubscription } from "./subscriptions.ts";

export const SESSION_HEADER = "mcp-session-id";

/** A request to the gateway, after admission. */
export interface Arrived {
  readonly id: string;
  readonly request: FastifyRequest;
  readonly response: ServerResponse;
  readonly reply: RpcWriter;
  readonly services: Services;
  readonly hub: McpHub;
  /** The servers that the key may use. */
  readonly servers: readonly GatewayServer[];
}

/** Ends an endless stream when its key is no longer valid. */
export function endStreamWithKey({ request, response, reply, services }: Arrived): void {
  endWithKey(
    response,
    () => services.runtime().stillAdmits(request, "mcp"),
    () => reply.end(undefined),
  );
}

/** The last message of a response. */
interface LastMessage {
  /** The message that ends the response; undefined if there is none. */
  readonly message: RpcResponse | undefined;
  readonly status: number;
  readonly headers: readonly string[];
  readonly outcome: McpOutcome;
}

/**
 * Milliseconds after which a response that is not complete begins as an event stream, whose comments keep the
 * connection open.
 */
const STREAM_MS = 2_000;

/** Serves a JSON-RPC request, and records it before its response ends. */
export async function serveRequest(
  arrived: Arrived,
  message: RpcRequest,
  called: McpCall,
  findSession: () => McpSession,
): Promise<void> {
  const { id, request, reply, services } = arrived;
  const began = performance.now();
  const client = request.runtime.forwarding.client(request.raw.socket.remoteAddress, request.headers);
  const routed = tryRoute(message, arrived.servers);
  const server = "failure" in routed ? undefined : routed.found?.server;
  const counts = message.method !== "subscriptions/listen";
  const running = beginMcpCall(request, services, { id, path: "/mcp", server: server?.name, counts });
  const trace = services.observer.beginMcp(request.raw, { name: server?.name, baseUrl: server?.config.url });
  const {
    message: last,
    status,
    headers,
    outcome,
  } = await respond(arrived, message, routed, findSession, trace);
  const ms = Math.round(performance.now() - began);
  recordMcpCall(request, services, { running, client, called, outcome, ms, counts, trace });
  reply.end(last, status, headers);
}

type RouteAttempt = { readonly found: Routed | undefined } | { readonly failure: unknown };

function tryRoute(message: RpcRequest, servers: readonly GatewayServer[]): RouteAttempt {
  try {
    return { found: route(message, servers) };
  } catch (failure) {
    return { failure };
  }
}

async function respond(
  arrived: Arrived,
  message: RpcRequest,
  routed: RouteAttempt,
  findSession: () => McpSession,
  trace: McpTrace | undefined,
): Promise<LastMessage> {
  const { request, response, hub } = arrived;
  const controller = new AbortController();
  // A client of a session may return for a response; in revision 2026-07-28, a closed connection cancels the request.
  const isStateless = isStatelessRequest(message, request.headers);
  const onClose = () => isStateless && controller.abort(clientDisconnected());
  response.once("close", onClose);
  let session: McpSession | undefined;
  try {
    session = openSession(arrived, message, isStateless, findSession);
    const created =
      message.method === "initialize" ? [SESSION_HEADER, createSessionIdFor(arrived, session)] : [];
    if ("failure" in routed) throw routed.failure;
    session.inFlight.set(message.id, controller);
    const result = await serve(arrived, message, session, routed.found, controller, trace);
    const status = isStateless ? statusOf(result) : 200;
    const outcome = response.destroyed
      ? toFailure(message, clientDisconnected(), hub.redact).outcome
      : toOutcome(result);
    return { message: result, status, headers: created, outcome };
  } catch (error) {
    const { aborted, reason } = controller.signal;
    const cause = aborted ? reason : error;
    const failed = toFailure(message, isStateless ? withoutOldCode(cause) : cause, hub.redact);
    const status = isStateless || failed.isTransport ? failed.status : 200;
    return { message: failed.message, status, headers: [], outcome: failed.outcome };
  } finally {
    response.off("close", onClose);
    if (session?.inFlight.get(message.id) === controller) session.inFlight.delete(message.id);
  }
}

/** Returns the session of a request. `initialize` begins a session. */
function openSession(
  { request, hub }: Arrived,
  message: RpcRequest,
  isStateless: boolean,
  findSession: () => McpSession,
): McpSession {
  if (isStateless) {
    checkStateless(message, request.headers);
    return hub.sharedSession(request.key, STATELESS);
  }
  return message.method === "initialize" ? hub.begin(readClientFacts(message.params)) : findSession();
}

function createSessionIdFor({ hub, request }: Arrived, session: McpSession): string {
  const id = createSessionId(session.client);
  hub.keep(request.key, id, session);
  return id;
}

async function serve(
  arrived: Arrived,
  message: RpcRequest,
  session: McpSession,
  routed: Routed | undefined,
  { signal }: AbortController,
  trace: McpTrace | undefined,
): Promise<RpcResponse | undefined> {
  const { request, reply, services, servers, hub } = arrived;
  const { config } = request.runtime;
  const isStateless = session.client.version === STATELESS;
  const emit = isStateless ? withoutUnwanted(message, reply.emit) : reply.emit;
  if (isStateless && message.method === "subscriptions/listen") {
    const owner = toOwner(request.key);
    endStreamWithKey(arrived);
    const mayFollow = ({ name }: GatewayServer, taskId: string) => hub.owners.allows(name, taskId, owner);
    await serveSubscription({ message, session, servers, reply, signal, mayFollow });
    return undefined;
  }
  const hasSession = request.headers[SESSION_HEADER] !== undefined && message.method !== "initialize";
  if (hasSession) reply.keep(session.records);
  const begin = () =>
    hasSession && hasFirstEvent(session.client) ? reply.startRecord() : reply.startEvents();
  // `initialize` must not begin a stream early, because its response has a header with the session's id.
  const timer = message.method === "initialize" ? undefined : setTimeout(begin, STREAM_MS);
  const response = dispatch(
    {
      request: message,
      session,
      servers,
      emit,
      onStream: hasSession ? begin : () => {},
      signal,
      traceparent: trace?.traceparent() ?? request.headers["traceparent"]?.toString(),
      clientHeaders: isStateless ? request.headers : undefined,
      pageSize: config.mcpGateway.pageSize,
      waitMs: hub.listMs(),
      version: services.version,
      key: toOwner(request.key),
      owners: hub.owners,
      redact: hub.redact,
    },
    routed,
  );
  return response.finally(() => clearTimeout(timer));
}

/** Drops the log messages of a request of revision 2026-07-28, unless the request contains a log level. */
function withoutUnwanted(message: RpcRequest, emit: Emit): Emit {
  if (getMeta(message.params)[META.logLevel] !== undefined) return emit;
  return (each) => {
    if (each.method !== "notifications/message") emit(each);
  };
}

/** The HTTP statuses that revision 2026-07-28 defines for errors of servers, by error code. */
const STATUSES = new Map<number | undefined, number>([
  [RPC_ERRORS.methodNotFound, 404],
  [RPC_ERRORS.headerMismatch, 400],
  [RPC_ERRORS.missingCapability, 400],
  [RPC_ERRORS.unsupportedVersion, 400],
]);

function statusOf(response: RpcResponse | undefined): number {
  return STATUSES.get(response?.error?.code) ?? 200;
}

function toOutcome(response: RpcResponse | undefined): McpOutcome {
  const { error } = response ?? {};
  return {
    status: 200,
    errorCode: error === undefined ? undefined : "upstream_error",
    errorMessage: error?.message,
  };
}

/** Replaces the code of unknown resources, which revision 2026-07-28 does not have. */
function withoutOldCode(error: unknown): unknown {
  if (!(error instanceof RpcFailure) || error.code !== RPC_ERRORS.resourceNotFound) return error;
  return new RpcFailure(RPC_ERRORS.invalidParams, error.message, error.status, error.data);
}

interface Failure {
  readonly message: RpcResponse;
  readonly status: number;
  readonly outcome: McpOutcome;
  /** Whether the status is sent even in sessions, because the error concerns the HTTP request. */
  readonly isTransport: boolean;
}

/** Converts an error to a JSON-RPC error. Secrets in its message are redacted. */
export function toFailure(message: RpcMessage | undefined, error: unknown, redact: Redact): Failure {
  const id = message !== undefined && isRequest(message) ? message.id : undefined;
  if (error instanceof RpcFailure) {
    const { code, status, data } = error;
    const text = redact(error.message);
    return {
      message: createError(id, code, text, data),
      status,
      outcome: { status, errorCode: "validation", errorMessage: text },
      isTransport: status !== 200 && code !== RPC_ERRORS.methodNotFound,
    };
  }
  const known = error instanceof AppError ? error : new AppError("internal", "Internal error of the proxy");
  const text = redact(known.message);
  return {
    message: createError(id, RPC_ERRORS.internal, text),
    status: id === undefined ? known.status : 200,
    outcome: { status: known.status, errorCode: known.code, errorMessage: text },
    isTransport: id === undefined,
  };
}
