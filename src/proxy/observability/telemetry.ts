import type { IncomingHttpHeaders } from "node:http";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { AttemptRecord, CallRecord } from "./request-log.ts";

/** Reports calls to an OpenTelemetry collector. */
export interface Telemetry {
  /** Begins the trace of a call. It continues the client's trace if `headers` name one. */
  begin(headers: IncomingHttpHeaders): CallTrace;
  /** Begins the trace of a call to an MCP server. */
  beginMcp(headers: IncomingHttpHeaders, server: TracedServer): McpTrace;
  /** Exports the remaining data. Resolves after 3 seconds at the latest. */
  close(): Promise<void>;
}

/** The MCP server of a call. */
export interface TracedServer {
  /** Undefined if the call is for several servers. */
  readonly name: string | undefined;
  /** Undefined for a program, and for several servers. */
  readonly baseUrl: string | undefined;
}

/** The spans of one call. */
export interface CallTrace {
  beginAttempt(upstream: UpstreamConfig, model: string): void;
  /** Returns `traceparent` for the request of the current attempt. */
  traceparent(): string;
  endAttempt(attempt: AttemptRecord): void;
  /** Ends the call at `endedAt`, in milliseconds since 1970. */
  end(call: TracedCall, endedAt: number): void;
}

/** The spans of one call to an MCP server. */
export interface McpTrace {
  /** Returns `traceparent` for the request to the server. */
  traceparent(): string;
  /** Ends the call at `endedAt`, in milliseconds since 1970. */
  end(record: CallRecord, endedAt: number): void;
}

/** The data about an ended call. */
export interface TracedCall {
  readonly record: CallRecord;
  readonly operation: string;
  readonly dialect: Dialect;
  readonly upstream: UpstreamConfig | undefined;
  readonly responseModel: string | undefined;
  readonly finishReasons: readonly string[];
  /** The messages of the client and the model; undefined unless `proxy.otel.content` is set. */
  readonly content: TracedContent | undefined;
}

/** Messages as JSON, in the form of OpenTelemetry's GenAI conventions. */
export interface TracedContent {
  readonly systemInstructions: string | undefined;
  readonly inputMessages: string | undefined;
  readonly outputMessages: string | undefined;
}
