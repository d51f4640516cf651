import type { FastifyRequest } from "fastify";
import type { RunningCall } from "../observability/recent-calls.ts";
import type { McpTrace } from "../observability/telemetry.ts";
import type { Services } from "../services.ts";
import type { McpCall } from "./mcp-call.ts";

/** The outcome of a call to an MCP server. */
export interface McpOutcome {
  readonly status: number;
  /** A code of the error catalog; undefined for a success. */
  readonly errorCode: string | undefined;
  readonly errorMessage: string | undefined;
}

export interface FinishedMcpCall {
  readonly running: RunningCall;
  /** The client's address. */
  readonly client: string;
  readonly called: McpCall;
  readonly outcome: McpOutcome;
  readonly ms: number;
  /** Whether the call counts in the metrics. */
  readonly counts: boolean;
  /** The trace of the call; undefined if the call is not reported to a collector. */
  readonly trace: McpTrace | undefined;
}

/**
 * Records the beginning of a call to an MCP server. `server` is undefined for a call to several servers, and for a call
 * that matches no server.
 */
export function beginMcpCall(
  request: FastifyRequest,
  { recent, metrics }: Services,
  { id, path, server, counts }: RunningMcpCall,
): RunningCall {
  const running: RunningCall = {
    id,
    startedAt: performance.now(),
    key: request.key,
    route: { path },
    model: undefined,
    upstream: server === undefined ? undefined : { name: server },
    stream: false,
    index: -1,
  };
  if (counts) metrics.begin();
  recent.begin(running);
  return running;
}

interface RunningMcpCall {
  readonly id: string;
  readonly path: string;
  readonly server: string | undefined;
  readonly counts: boolean;
}

/** Records a call to an MCP server in the log, the metrics, the dashboard and its trace. */
export function recordMcpCall(
  request: FastifyRequest,
  services: Services,
  { running, client, called, outcome, ms, counts, trace }: FinishedMcpCall,
): void {
  const { status, errorCode, errorMessage } = outcome;
  const entry = {
    time: new Date().toISOString(),
    id: running.id,
    key: request.key?.name,
    client,
    method: request.method,
    route: running.route.path,
    model: undefined,
    upstream: running.upstream?.name,
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
    errorCode,
    errorMessage,
  };
  if (counts) services.metrics.end(entry);
  services.recent.end(running, entry);
  services.log.add(entry);
  trace?.end(entry, Date.now());
}
