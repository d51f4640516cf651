import type { Loss } from "../exchange/loss.ts";
import type { Usage } from "../exchange/response.ts";
import type { Refusal } from "./refusals.ts";

/** One attempt of a call at an upstream. */
export interface AttemptRecord {
  readonly upstream: string;
  /** The position of the key, counted from 1; undefined if the upstream has at most one. */
  readonly key: number | undefined;
  /** The upstream's status, or that of an error in its response; undefined if there was no complete response. */
  readonly status: number | undefined;
  /** Why the attempt failed, as a code of the error catalog; undefined if it succeeded. */
  readonly errorCode: string | undefined;
  /** Milliseconds of the pause before the attempt. */
  readonly waitMs: number;
  /** Duration of the attempt in milliseconds. */
  readonly ms: number;
}

/** The recorded metadata of a call, never its content. */
export interface CallRecord {
  /** When the call ended, ISO 8601. */
  readonly time: string;
  readonly id: string;
  /** The name of the client's API key; undefined if the client sent no valid key. */
  readonly key: string | undefined;
  /** The id, team and tags of the key, if it has them. */
  readonly keyId?: string | undefined;
  readonly team?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly client: string;
  /** Metadata that the client sent: its own id of the call, its session, its program and its trace. */
  readonly clientRequestId?: string | undefined;
  readonly session?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly traceId?: string | undefined;
  readonly method: string;
  /** The route's pattern. The request's URL is not recorded, because its query can contain keys. */
  readonly route: string;
  readonly model: string | undefined;
  readonly upstream: string | undefined;
  readonly upstreamModel: string | undefined;
  /** The model's label in the metrics (`model-labels.ts`). */
  readonly modelLabel?: string;
  /** The JSON-RPC method of an MCP call, and the tool, prompt or resource that it names. */
  readonly mcpMethod?: string | undefined;
  readonly mcpTool?: string | undefined;
  readonly status: number;
  /** Milliseconds to the end of the response, and to its first byte. */
  readonly ms: number;
  readonly firstByteMs: number | undefined;
  readonly stream: boolean;
  readonly retries: number;
  readonly attempts?: readonly AttemptRecord[];
  readonly usage: Usage | undefined;
  /** US dollars; undefined if the price or the tokens are not known. */
  readonly cost: number | undefined;
  readonly losses: readonly Loss[];
  /** Why the call failed, as a code of the error catalog. A call with a success status can have failed too. */
  readonly errorCode?: string | undefined;
  readonly errorMessage: string | undefined;
}

/** Receives the records of ended calls. */
export interface RequestLog {
  add(record: CallRecord): void;
  /**
   * Runs a function once the records so far would survive a kill of the process; immediately if the log cannot ensure
   * this.
   */
  afterWrite(run: () => void): void;
  /** Adds a request that was rejected before it became a call. */
  refused(refusal: Refusal): void;
  /** Writes all pending records. */
  close(): Promise<void>;
}

/** Formats a record as one line of JSON. It concatenates strings, because `JSON.stringify` is slower. */
export function recordLine(record: CallRecord): string {
  const { status, ms, firstByteMs, stream, retries, usage, cost, losses, attempts = [] } = record;
  const lost = losses.length === 0 ? "" : `,"losses":${JSON.stringify(losses.map((loss) => loss.code))}`;
  return (
    `{"time":"${record.time}","id":"${record.id}"${text("request_id", record.clientRequestId)}` +
    `${text("trace_id", record.traceId)}${formatNames(record)},"status":${status},"ms":${ms}` +
    `${number("first_byte_ms", firstByteMs)},"stream":${stream}` +
    `${number("retries", retries === 0 ? undefined : retries)}${usage ? tokens(usage) : ""}` +
    `${number("cost", cost)}${lost}${attempts.length > 1 ? attemptList(attempts) : ""}` +
    `${text("error_code", record.errorCode)}${text("fault", record.errorMessage)}}`
  );
}

/** Formats the members about the client, the route, the model and the upstream of a call. */
function formatNames(record: CallRecord): string {
  const { model, upstreamModel } = record;
  const { tags } = record;
  return (
    text("key", record.key) +
    text("key_id", record.keyId) +
    text("team", record.team) +
    (tags && Object.keys(tags).length > 0 ? `,"tags":${JSON.stringify(tags)}` : "") +
    text("client", record.client) +
    text("user_agent", record.userAgent) +
    text("session", record.session) +
    text("method", record.method) +
    text("route", record.route) +
    text("model", model) +
    text("upstream", record.upstream) +
    text("upstream_model", upstreamModel === model ? undefined : upstreamModel) +
    text("mcp_method", record.mcpMethod) +
    text("mcp_tool", record.mcpTool)
  );
}

function attemptList(attempts: readonly AttemptRecord[]): string {
  const entries = attempts.map(({ upstream, key, status, errorCode, waitMs, ms }) => ({
    upstream,
    key,
    status,
    error_code: errorCode,
    wait_ms: waitMs === 0 ? undefined : waitMs,
    ms,
  }));
  return `,"attempts":${JSON.stringify(entries)}`;
}

function tokens({ input, output, partial, estimated }: Usage): string {
  const members =
    number("input", input.total) +
    number("cache_read", input.cacheRead) +
    number("cache_write", input.cacheWrite) +
    number("output", output.total) +
    number("reasoning", output.reasoning);
  const flags = `${partial ? ',"partial":true' : ""}${estimated ? ',"estimated":true' : ""}`;
  return `,"tokens":{${members.slice(1)}}${flags}`;
}

function number(name: string, value: number | undefined): string {
  return value === undefined ? "" : `,"${name}":${value}`;
}

/** Matches text that needs no escapes in a JSON string. */
const PLAIN = /^[ !#-[\]-~]*$/;

function text(name: string, value: string | undefined): string {
  if (value === undefined) return "";
  return PLAIN.test(value) ? `,"${name}":"${value}"` : `,"${name}":${JSON.stringify(value)}`;
}
