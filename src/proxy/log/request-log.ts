import type { Loss } from "../exchange/loss.ts";
import type { Usage } from "../exchange/response.ts";

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
  readonly losses: readonly Loss[];
  readonly fault: string | undefined;
}

/** Where records of finished calls go. */
export interface RequestLog {
  add(record: CallRecord): void;
  /** Writes what is waiting. */
  close(): Promise<void>;
}

/** A record as one line of JSON. */
export function recordLine(record: CallRecord): string {
  const { usage, losses } = record;
  return JSON.stringify({
    time: record.time,
    id: record.id,
    key: record.key,
    client: record.client,
    method: record.method,
    route: record.route,
    model: record.model,
    upstream: record.upstream,
    upstream_model: record.upstreamModel === record.model ? undefined : record.upstreamModel,
    status: record.status,
    ms: record.ms,
    first_byte_ms: record.firstByteMs,
    stream: record.stream,
    retries: record.retries === 0 ? undefined : record.retries,
    tokens: usage && {
      input: usage.input.total,
      cache_read: usage.input.cacheRead,
      cache_write: usage.input.cacheWrite,
      output: usage.output.total,
      reasoning: usage.output.reasoning,
    },
    losses: losses.length === 0 ? undefined : losses.map((loss) => loss.code),
    fault: record.fault,
  });
}
