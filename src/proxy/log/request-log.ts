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
  const { usage, losses, ...rest } = record;
  return JSON.stringify({
    ...rest,
    ...(usage === undefined
      ? {}
      : {
          tokens: {
            input: usage.input.total,
            cache_read: usage.input.cacheRead,
            cache_write: usage.input.cacheWrite,
            output: usage.output.total,
            reasoning: usage.output.reasoning,
          },
        }),
    ...(losses.length === 0 ? {} : { losses: losses.map((loss) => loss.code) }),
  });
}
