import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../../errors.ts";
import { findExcess, turnIfLarge } from "../../../json/bounds.ts";
import { BodyShare } from "../../body/body-memory.ts";
import { readBody } from "../../body/read-body.ts";
import { tryParseJson } from "../../exchange/json.ts";
import type { Services } from "../../services.ts";
import { callOf } from "../mcp-call.ts";
import { listVisibleServers } from "./access.ts";
import {
  isNotification,
  isRequest,
  MESSAGE_BOUNDS,
  parseRpc,
  RPC_ERRORS,
  RpcFailure,
  type RpcMessage,
} from "./json-rpc.ts";
import type { McpHub } from "./mcp-hub.ts";
import type { McpSession } from "./mcp-session.ts";
import { hasFirstEvent, LATEST_SESSION, SESSION_REVISIONS, STATELESS } from "./revisions.ts";
import { RpcWriter } from "./rpc-response.ts";
import { type Arrived, endStreamWithKey, SESSION_HEADER, serveRequest, toFailure } from "./serve-request.ts";
import { parseSessionId } from "./session-id.ts";

/** The error code of the official SDKs for an unknown session. */
const SESSION_NOT_FOUND = -32001;

/**
 * Serves one HTTP request of an MCP client for all servers that its key may use: `POST` with a message, `GET` for the
 * stream of messages that belong to no request, or `DELETE` to end a session.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export async function serveMcpGateway(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  hub: McpHub,
): Promise<void> {
  const { config } = request.runtime;
  const servers = listVisibleServers(config, request.key);
  if (config.mcp.size === 0) throw new AppError("not_found", "No MCP server is configured in proxy.mcp");
  const id = services.nextRequestId();
  const own = ["x-sallyport-request-id", id];
  for (const [header, value] of Object.entries(reply.getHeaders())) own.push(header, String(value));
  reply.hijack();
  const arrived: Arrived = {
    id,
    request,
    response: reply.raw,
    reply: new RpcWriter(request.raw, reply.raw, own, services.streams),
    services,
    hub,
    servers,
  };
  try {
    if (request.method === "POST") await servePost(arrived);
    else if (request.method === "GET") serveStream(arrived);
    else if (request.method === "DELETE") await endSession(arrived);
    else arrived.reply.end(undefined, 405, ["allow", "GET, POST, DELETE"]);
  } catch (error) {
    const { status, message } = toFailure(undefined, error, hub.redact);
    arrived.reply.end(message, status);
  }
}

async function servePost(arrived: Arrived): Promise<void> {
  const { request, reply, services } = arrived;
  const message = await readMessage(request, services);
  if (isRequest(message)) {
    await serveRequest(arrived, message, callOf(message), () => findSession(arrived));
    return;
  }
  const session = findSession(arrived);
  if (isNotification(message)) {
    const { method, params } = message;
    if (method === "notifications/cancelled") {
      const { requestId } = params ?? {};
      // Clients without their own session share one, in which their request ids may be equal.
      const isOwn = request.headers[SESSION_HEADER] !== undefined;
      if (isOwn && (typeof requestId === "string" || typeof requestId === "number"))
        session.inFlight
          .get(requestId)
          ?.abort(new AppError("client_gone", "The client canceled the request"));
    } else if (method === "notifications/roots/list_changed") await session.notify(method, params);
  } else session.respond(message);
  reply.end(undefined, 202);
}

async function readMessage({ raw, runtime }: FastifyRequest, { memory }: Services): Promise<RpcMessage> {
  const share = new BodyShare(memory);
  const { limits } = runtime.config;
  const count = { share, max: limits.inFlight };
  const bytes = await readBody(raw, limits.body, count).finally(() => share.release());
  if (await findExcess(bytes, MESSAGE_BOUNDS))
    throw new RpcFailure(
      RPC_ERRORS.invalidRequest,
      `The message has more than ${MESSAGE_BOUNDS.values} values or ${MESSAGE_BOUNDS.depth} levels`,
      400,
    );
  const text = bytes.toString("utf8");
  await turnIfLarge(bytes.length);
  const value = tryParseJson(text);
  await turnIfLarge(bytes.length);
  if (value === undefined) throw new RpcFailure(RPC_ERRORS.parse, "Parse error: the body is not JSON", 400);
  const message = parseRpc(value);
  if (message === undefined)
    throw new RpcFailure(RPC_ERRORS.invalidRequest, "The body is not one JSON-RPC message", 400);
  return message;
}

/** Returns the session of a message. Throws `RpcFailure` if the session or the protocol version is unknown. */
function findSession({ request, hub }: Arrived): McpSession {
  const { [SESSION_HEADER]: id, "mcp-protocol-version": version } = request.headers;
  if (version !== undefined && !SESSION_REVISIONS.some((known) => known === version) && version !== STATELESS)
    throw new RpcFailure(RPC_ERRORS.invalidRequest, `Unsupported protocol version: ${String(version)}`, 400);
  // Clients without state, such as scripts, may call without a session.
  if (id === undefined) return hub.sharedSession(request.key, LATEST_SESSION);
  const text = id.toString();
  const client = parseSessionId(text);
  const session = client && hub.session(request.key, text, client);
  if (session === undefined) throw new RpcFailure(SESSION_NOT_FOUND, "Session not found", 404);
  return session;
}

/** Opens the stream of messages that belong to no request, or continues a stream after `Last-Event-ID`. */
function serveStream(arrived: Arrived): void {
  const { request, reply, servers } = arrived;
  const { [SESSION_HEADER]: id, "last-event-id": last, accept } = request.headers;
  if (id === undefined || accept?.includes("text/event-stream") === false) {
    reply.end(undefined, 405, ["allow", "POST, DELETE"]);
    return;
  }
  const session = findSession(arrived);
  const known = last === undefined ? undefined : session.records.find(last.toString());
  if (known !== undefined) {
    endStreamWithKey(arrived);
    reply.resume(known.record, known.after);
    return;
  }
  session.records.dropLost();
  endStreamWithKey(arrived);
  let close = () => {};
  reply.keep(session.records, () => close());
  if (hasFirstEvent(session.client)) reply.startRecord();
  else reply.startEvents();
  close = session.open(servers, reply.emit);
}

async function endSession(arrived: Arrived): Promise<void> {
  const { request, reply, hub } = arrived;
  const id = request.headers[SESSION_HEADER]?.toString();
  if (id === undefined || parseSessionId(id) === undefined)
    throw new RpcFailure(SESSION_NOT_FOUND, "Session not found", 404);
  await hub.endSession(request.key, id);
  reply.end(undefined, 200);
}
