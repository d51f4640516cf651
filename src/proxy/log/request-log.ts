import type { Loss } from "../exchange/loss.ts";
import type { Usage } from "../exchange/response.ts";
import type { Refusal } from "./refusals.ts";

/** What is kept of a call: metadata, never what was said. */
export interface CallRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly id: string;
  /** The name of the key that opened the door, or undefined where none was needed. */
  readonly key: string | undefined;
  readonly client: string;
  readonly method: string;
  /** The route's path, not the request's: queries can carry keys. */
  readonly route: string;
  readonly model: string | undefined;
  readonly upstream: string | undefined;
  readonly upstreamModel: string | undefined;
  readonly status: number;
  /** Milliseconds to the answer's end, and to its first byte. */
  readonly ms: number;
  readonly firstByteMs: number | undefined;
  readonly stream: boolean;
  readonly retries: number;
  readonly usage: Usage | undefined;
  /** US dollars; undefined where the price or the tokens are not known. */
  readonly cost: number | undefined;
  readonly losses: readonly Loss[];
  readonly fault: string | undefined;
}

/** Where records of finished calls go. */
export interface RequestLog {
  add(record: CallRecord): void;
  /** Of a request that never became a call. For a person alone: others could fill a file with them. */
  refused(refusal: Refusal): void;
  /** Writes what is waiting. */
  close(): Promise<void>;
}

/**
 * A record as one line of JSON. Put together by hand: it is written for every call, and `JSON.stringify` takes twice as
 * long.
 */
export function recordLine(record: CallRecord): string {
  const { status, ms, firstByteMs, stream, retries, usage, cost, losses } = record;
  const lost = losses.length === 0 ? "" : `,"losses":${JSON.stringify(losses.map((loss) => loss.code))}`;
  return (
    `{"time":"${record.time}","id":"${record.id}"${whoAndWhere(record)},"status":${status},"ms":${ms}` +
    `${number("first_byte_ms", firstByteMs)},"stream":${stream}` +
    `${number("retries", retries === 0 ? undefined : retries)}${usage ? tokens(usage) : ""}` +
    `${number("cost", cost)}${lost}` +
    `${text("fault", record.fault)}}`
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
    text("method", record.method),
    text("route", record.route),
    text("model", model),
    text("upstream", record.upstream),
    text("upstream_model", upstreamModel === model ? undefined : upstreamModel),
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
    one.key === other.key
  );
}

function tokens({ input, output }: Usage): string {
  const members =
    number("input", input.total) +
    number("cache_read", input.cacheRead) +
    number("cache_write", input.cacheWrite) +
    number("output", output.total) +
    number("reasoning", output.reasoning);
  return `,"tokens":{${members.slice(1)}}`;
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
