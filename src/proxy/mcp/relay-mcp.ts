import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { McpServerConfig, UpstreamConfig } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import type { RunningCall } from "../observability/recent-calls.ts";
import type { McpTrace } from "../observability/telemetry.ts";
import { timestamp } from "../observability/timestamp.ts";
import type { Services } from "../services.ts";
import { parseBaseUrl, type RelayedRequest, relayTo } from "../upstream/clients.ts";
import type { RelayOutcome, RelayTask } from "../upstream/relay-task.ts";
import { viaHeader } from "../upstream/request-headers.ts";
import { type McpCall, watchMcpBody } from "./mcp-call.ts";

/**
 * Relays one call of an MCP client (streamable HTTP): any method, bodies streamed, events unbuffered, session and
 * protocol headers both ways, and no idle timeout, because clients listen for hours.
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */
export async function relayMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<void> {
  const began = performance.now();
  // Read before the call: a closed socket has no remote address.
  const client = request.runtime.forwarding.client(request.raw.socket.remoteAddress, request.headers);
  const name = mcpName(request.url);
  const server = request.runtime.config.mcp.get(name);
  if (!server?.enabled)
    throw new AppError("not_found", `The MCP server ${name} is not configured, or is switched off`);
  const id = services.nextRequestId();
  const own = ["x-sallyport-request-id", id];
  for (const [header, value] of Object.entries(reply.getHeaders())) own.push(header, String(value));
  // A listening stream never ends, so draining must not wait for it.
  const counts = request.method !== "GET";
  if (counts) services.metrics.begin();
  reply.hijack();
  const running = runningCall(request, id, name, began);
  services.recent.begin(running);
  const body = watchMcpBody(request.raw);
  const upstream = asUpstream(name, server);
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
  if (outcome.kind === "failed") {
    reply.raw.writeHead(outcome.error.status, [...own, "content-type", "application/json; charset=utf-8"]);
    const message = JSON.stringify({ error: outcome.error.message });
    sendEnd = () => reply.raw.end(message);
  }
  const ms = Math.round(performance.now() - began);
  const called = body?.called() ?? {};
  record(request, services, { running, name, client, called, outcome, ms, counts, trace });
  sendEnd();
}

/**
 * Relays a call and never rejects. After `hijack`, Fastify handles no errors: an unexpected one becomes an outcome,
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

function runningCall(request: FastifyRequest, id: string, name: string, startedAt: number): RunningCall {
  const route = { path: `/mcp/${name}/mcp` };
  return {
    id,
    startedAt,
    key: request.key,
    route,
    model: undefined,
    upstream: { name },
    stream: false,
    index: -1,
  };
}

function toUpstreamRequest(
  request: FastifyRequest,
  server: McpServerConfig,
  services: Services,
  { body, traceparent }: { readonly body: Readable | null; readonly traceparent: string | undefined },
): RelayedRequest {
  const { raw } = request;
  const length = raw.headers["content-length"];
  const hasBody = body !== null;
  return {
    method: request.method,
    path: queryFor(server, request),
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

interface FinishedCall {
  readonly running: RunningCall;
  readonly name: string;
  /** The client's address. */
  readonly client: string;
  readonly called: McpCall;
  readonly outcome: RelayOutcome;
  readonly ms: number;
  readonly counts: boolean;
  /** Undefined if the call is reported to no collector. */
  readonly trace: McpTrace | undefined;
}

function record(
  request: FastifyRequest,
  services: Services,
  { running, name, client, called, outcome, ms, counts, trace }: FinishedCall,
): void {
  const { kind } = outcome;
  const status = kind === "failed" ? outcome.error.status : kind === "disconnected" ? 499 : outcome.status;
  const errorMessage = kind === "failed" || kind === "broken" ? outcome.error.message : undefined;
  const entry = {
    time: timestamp(),
    id: running.id,
    key: request.key?.name,
    client,
    method: request.method,
    route: running.route.path,
    model: undefined,
    upstream: name,
    upstreamModel: undefined,
    ...called,
    status,
    ms,
    firstByteMs: undefined,
    stream: false,
    retries: 0,
    usage: undefined,
    cost: undefined,
    losses: [],
    errorCode: status < 400 && errorMessage === undefined ? undefined : getErrorCode(outcome),
    errorMessage,
  };
  if (counts) services.metrics.end(entry);
  services.recent.end(running, entry);
  services.log.add(entry);
  trace?.end(entry, Date.now());
}

function getErrorCode(outcome: RelayOutcome): string {
  if (outcome.kind === "disconnected") return "client_gone";
  return outcome.kind === "failed" || outcome.kind === "broken" ? outcome.error.code : "upstream_error";
}

/** Returns the name in `/mcp/NAME/mcp`. */
function mcpName(url: string): string {
  return url.split("/", 3)[2] ?? "";
}

/** Returns the server's own query and the client's, without the proxy's keys. */
function queryFor(server: McpServerConfig, request: FastifyRequest): string {
  const at = request.url.indexOf("?");
  const asked = at < 0 ? [] : request.url.slice(at + 1).split("&");
  const { keys } = request.runtime;
  const pairs = asked.filter((pair) => keys.find([...new URLSearchParams(pair).values()]) === undefined);
  const own = new URL(server.url).search.slice(1);
  const query = [...(own === "" ? [] : [own]), ...pairs].join("&");
  return query === "" ? "" : `?${query}`;
}

const servers = new WeakMap<McpServerConfig, UpstreamConfig>();

/** Returns an MCP server as an upstream: its URL is the whole path, and its headers carry its credentials. */
export function asUpstream(name: string, server: McpServerConfig): UpstreamConfig {
  const known = servers.get(server);
  if (known) return known;
  const { origin, prefix } = parseBaseUrl(server.url);
  const upstream: UpstreamConfig = {
    name,
    dialect: "any",
    baseUrl: `${origin}${prefix}`,
    keys: [],
    credentials: "config",
    headers: server.headers,
    forwardHeaders: [],
    models: [],
    capabilities: {},
    prices: new Map(),
    timeouts: { connectMs: 10_000, firstByteMs: 0, idleMs: 0 },
    weight: undefined,
  };
  servers.set(server, upstream);
  return upstream;
}
