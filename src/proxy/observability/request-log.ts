import type { Loss } from "../exchange/loss.ts";
import type { Usage } from "../exchange/response.ts";
import type { Refusal } from "./refusals.ts";

/** One attempt of a call at an upstream. */
export interface AttemptRecord {
  readonly upstream: string;
  /** The position of the key, counted from 1, where the upstream has several. */
  readonly key: number | undefined;
  /** What it answered with; undefined where no answer came. */
  readonly status: number | undefined;
  /** Why it did not serve the call; undefined where it did. */
  readonly errorCode: string | undefined;
  /** Milliseconds of the pause before it. */
  readonly waitMs: number;
  /** Milliseconds until the next attempt could be chosen, or the answer was over. */
  readonly ms: number;
}

/** What is kept of a call: metadata, never what was said. */
export interface CallRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly id: string;
  /** The name of the key that opened the door, or undefined where none was needed. */
  readonly key: string | undefined;
  readonly client: string;
  /** What the client says of itself: its own id of the call, its session, its program and its trace. */
  readonly clientRequestId?: string | undefined;
  readonly session?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly traceId?: string | undefined;
  readonly method: string;
  /** The route's path, not the request's: queries can carry keys. */
  readonly route: string;
  readonly model: string | undefined;
  readonly upstream: string | undefined;
  readonly upstreamModel: string | undefined;
  /** The model's name in the metrics, one of few (`model-labels.ts`). */
  readonly modelLabel?: string;
  /** The JSON-RPC method of an MCP call, and the tool that it calls. */
  readonly mcpMethod?: string | undefined;
  readonly mcpTool?: string | undefined;
  readonly status: number;
  /** Milliseconds to the answer's end, and to its first byte. */
  readonly ms: number;
  readonly firstByteMs: number | undefined;
  readonly stream: boolean;
  readonly retries: number;
  readonly attempts?: readonly AttemptRecord[];
  readonly usage: Usage | undefined;
  /** US dollars; undefined where the price or the tokens are not known. */
  readonly cost: number | undefined;
  readonly losses: readonly Loss[];
  /** Why the call failed, also where its status was sent before: a code of the catalogue. */
  readonly errorCode?: string | undefined;
  readonly fault: string | undefined;
}

/** Where records of finished calls go. */
export interface RequestLog {
  add(record: CallRecord): void;
  /** Of a request that never became a call. */
  refused(refusal: Refusal): void;
  /** Writes what is waiting. */
  close(): Promise<void>;
}

/**
 * A record as one line of JSON. Put together by hand: it is written for every call, and `JSON.stringify` takes twice as
 * long.
 */
export function recordLine(record: CallRecord): string {
  const { status, ms, firstByteMs, stream, retries, usage, cost, losses, attempts = [] } = record;
  const lost = losses.length === 0 ? "" : `,"losses":${JSON.stringify(losses.map((loss) => loss.code))}`;
  return (
    `{"time":"${record.time}","id":"${record.id}"${text("request_id", record.clientRequestId)}` +
    `${text("trace_id", record.traceId)}${whoAndWhere(record)},"status":${status},"ms":${ms}` +
    `${number("first_byte_ms", firstByteMs)},"stream":${stream}` +
    `${number("retries", retries === 0 ? undefined : retries)}${usage ? tokens(usage) : ""}` +
    `${number("cost", cost)}${lost}${attempts.length > 1 ? attemptList(attempts) : ""}` +
    `${text("error_code", record.errorCode)}${text("fault", record.fault)}}`
  );
}

let last: { readonly of: CallRecord; readonly text: string } | undefined;

/** What calls of one client to one model share. They come in runs, so that the last one's text mostly fits the next. */
function whoAndWhere(record: CallRecord): string {
  if (last && isAlike(last.of, record)) return last.text;
  const { model, upstreamModel } = record;
  const members = [
    text("key", record.key),
    text("client", record.client),
    text("user_agent", record.userAgent),
    text("session", record.session),
    text("method", record.method),
    text("route", record.route),
    text("model", model),
    text("upstream", record.upstream),
    text("upstream_model", upstreamModel === model ? undefined : upstreamModel),
    text("mcp_method", record.mcpMethod),
    text("mcp_tool", record.mcpTool),
  ];
  last = { of: record, text: members.join("") };
  return last.text;
}

/** Name by name: members looked up by a variable name cost more than the rest of the line. */
function isAlike(one: CallRecord, other: CallRecord): boolean {
  return (
    one.model === other.model &&
    one.upstreamModel === other.upstreamModel &&
    one.upstream === other.upstream &&
    one.route === other.route &&
    one.method === other.method &&
    one.client === other.client &&
    one.userAgent === other.userAgent &&
    one.session === other.session &&
    one.mcpMethod === other.mcpMethod &&
    one.mcpTool === other.mcpTool &&
    one.key === other.key
  );
}

/** Where the call was tried, and why it went on elsewhere. */
function attemptList(attempts: readonly AttemptRecord[]): string {
  const told = attempts.map(({ upstream, key, status, errorCode, waitMs, ms }) => ({
    upstream,
    key,
    status,
    error_code: errorCode,
    wait_ms: waitMs === 0 ? undefined : waitMs,
    ms,
  }));
  return `,"attempts":${JSON.stringify(told)}`;
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

/** Characters that stand in a JSON string as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;

function text(name: string, value: string | undefined): string {
  if (value === undefined) return "";
  return PLAIN.test(value) ? `,"${name}":"${value}"` : `,"${name}":${JSON.stringify(value)}`;
}
