import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import type { Services } from "../services.ts";
import { type RelayedRequest, relayTo } from "../upstream/clients.ts";
import type { RelayOutcome, RelayTask } from "../upstream/relay-task.ts";
import { viaHeader } from "../upstream/request-headers.ts";
import { asUpstream, getPathBelow, type HttpServer, isHttpServer } from "./as-upstream.ts";
import { getAllowedNames } from "./gateway/access.ts";
import { watchMcpBody } from "./mcp-call.ts";
import type { McpTokens } from "./oauth/mcp-tokens.ts";
import { beginMcpCall, type McpOutcome, recordMcpCall } from "./record-mcp-call.ts";

/**
 * Relays one call of an MCP client to a server over streamable HTTP: any method, bodies and events without buffering,
 * and session and protocol headers in both directions. There is no idle timeout, because clients listen for hours.
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */
export async function relayMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  tokens: McpTokens,
): Promise<void> {
  const began = performance.now();
  // The address is read before the call, because a closed socket has no remote address.
  const client = request.runtime.forwarding.client(request.raw.socket.remoteAddress, request.headers);
  const name = mcpName(request.url);
  const server = request.runtime.config.mcp.get(name);
  if (!server?.enabled)
    throw new AppError(
      "not_found",
      `The MCP server ${JSON.stringify(name)} is not configured or is disabled`,
    );
  expectWhole(request, name);
  if (!isHttpServer(server))
    throw new AppError(
      "not_found",
      `The MCP server ${name} is a program, which clients reach at /mcp and not at /mcp/${name}/mcp`,
    );
  const authorization = await tokens.authorization(name, server);
  const id = services.nextRequestId();
  const own = ["x-sallyport-request-id", id];
  for (const [header, value] of Object.entries(reply.getHeaders())) own.push(header, String(value));
  // A listening stream never ends, so draining must not wait for it.
  const counts = request.method !== "GET";
  reply.hijack();
  const running = beginMcpCall(request, services, { id, path: `/mcp/${name}/mcp`, server: name, counts });
  const body = watchMcpBody(request.raw);
  const upstream = asUpstream(name, server, authorization);
  const trace = counts ? services.observer.beginMcp(request.raw, upstream) : undefined;
  const sent = toUpstreamRequest(request, server, services, {
    body: body?.stream ?? null,
    traceparent: trace?.traceparent(),
  });
  let sendEnd = () => {};
  const outcome = await relayed(upstream, sent, services, {
    requestId: id,
    upstream: name,
    response: reply.raw,
    kind: "verbatim",
    mayBeEmpty: true,
    isLive: true,
    createFilter: undefined,
    ownHeaders: own,
    redact: request.runtime.redact,
    dialect: undefined,
    streams: services.streams,
    endWith(send) {
      sendEnd = send;
    },
  });
  if (outcome.kind === "completed" && outcome.status === 401) tokens.reject(server, authorization);
  if (outcome.kind === "failed") {
    reply.raw.writeHead(outcome.error.status, [...own, "content-type", "application/json; charset=utf-8"]);
    const message = JSON.stringify({ error: outcome.error.message });
    sendEnd = () => reply.raw.end(message);
  }
  const ms = Math.round(performance.now() - began);
  const called = body?.called() ?? {};
  recordMcpCall(request, services, {
    running,
    client,
    called,
    outcome: toOutcome(outcome),
    ms,
    counts,
    trace,
  });
  services.log.afterWrite(sendEnd);
}

/**
 * Relays a call; never rejects. After `hijack`, Fastify handles no errors, so an unexpected error becomes an outcome,
 * which is sent and recorded.
 */
async function relayed(
  upstream: UpstreamConfig,
  request: RelayedRequest,
  { pools }: Services,
  task: RelayTask,
): Promise<RelayOutcome> {
  try {
    return await relayTo(pools, upstream, request, task);
  } catch (cause) {
    const error = new AppError("internal", "Cannot relay the call", { cause });
    return { kind: "failed", error, firstByteAt: 0 };
  }
}

function toUpstreamRequest(
  request: FastifyRequest,
  server: HttpServer,
  services: Services,
  { body, traceparent }: { readonly body: Readable | null; readonly traceparent: string | undefined },
): RelayedRequest {
  const { raw } = request;
  const length = raw.headers["content-length"];
  const hasBody = body !== null;
  return {
    method: request.method,
    path: pathBelow(server, request),
    rawHeaders: raw.rawHeaders,
    body,
    needs: {
      key: undefined,
      via: viaHeader(request.headers, services.instanceId),
      acceptEncoding: undefined,
      contentLength: hasBody && length !== undefined ? Number(length) : undefined,
      contentCoding: hasBody ? raw.headers["content-encoding"] : undefined,
      keys: request.runtime.keys,
      traceparent,
    },
  };
}

function toOutcome(outcome: RelayOutcome): McpOutcome {
  const { kind } = outcome;
  const status = kind === "failed" ? outcome.error.status : kind === "disconnected" ? 499 : outcome.status;
  const errorMessage = kind === "failed" || kind === "broken" ? outcome.error.message : undefined;
  const isSuccess = status < 400 && errorMessage === undefined;
  return { status, errorCode: isSuccess ? undefined : getErrorCode(outcome), errorMessage };
}

function getErrorCode(outcome: RelayOutcome): string {
  if (outcome.kind === "disconnected") return "client_gone";
  return outcome.kind === "failed" || outcome.kind === "broken" ? outcome.error.code : "upstream_error";
}

/** Throws `forbidden` unless the key may use the whole server, because the relay does not inspect messages. */
function expectWhole({ key }: FastifyRequest, name: string): void {
  const allowed = getAllowedNames(key?.mcp, name);
  if (allowed === "all") return;
  const why = allowed === undefined ? "" : ` as a whole; it may use some of its tools at /mcp`;
  throw new AppError("forbidden", `This key may not use the MCP server ${name}${why}`);
}

/** Returns the name in `/mcp/NAME/mcp`. */
function mcpName(url: string): string {
  return url.split("/", 3)[2] ?? "";
}

/** Returns what `getPathBelow` returns, followed by the client's query without the proxy's keys. */
function pathBelow(server: HttpServer, request: FastifyRequest): string {
  const at = request.url.indexOf("?");
  const asked = at < 0 ? [] : request.url.slice(at + 1).split("&");
  const { keys } = request.runtime;
  const pairs = asked.filter((pair) => keys.find([...new URLSearchParams(pair).values()]) === undefined);
  const own = getPathBelow(server);
  if (pairs.length === 0) return own;
  return `${own}${own.includes("?") ? "&" : "?"}${pairs.join("&")}`;
}
