import type { Dialect, Part } from "./parts.ts";

/** A complete response, usually with one candidate. */
export interface ExchangeResponse {
  readonly id?: string;
  readonly model?: string;
  /** Seconds since 1970. */
  readonly created?: number;
  readonly candidates: readonly Candidate[];
  readonly usage?: Usage;
  readonly origin?: { readonly dialect: Dialect; readonly raw: unknown };
}

export interface Candidate {
  readonly parts: readonly Part[];
  readonly finish: Finish;
}

/**
 * Why a candidate ended. `length` takes precedence over `tool-calls`, so that a truncated response is never reported
 * as complete. `raw` is the vendor's value.
 */
export interface Finish {
  readonly unified:
    | "stop"
    | "stop-sequence"
    | "length"
    | "tool-calls"
    | "content-filter"
    | "refusal"
    | "pause"
    | "context-overflow"
    | "error"
    | "other";
  readonly raw?: string;
  readonly stopSequence?: string;
  readonly message?: string;
}

/**
 * Token counts of a call. In every dialect, `input.total` includes cached tokens and `output.total` includes reasoning,
 * because codecs convert the vendors' counts. A count that the vendor did not report is absent.
 */
export interface Usage {
  readonly input: {
    readonly total?: number;
    readonly uncached?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    /** The part of `cacheWrite` that is cached for an hour instead of minutes. */
    readonly cacheWriteHour?: number;
  };
  readonly output: { readonly total?: number; readonly reasoning?: number };
  /** OpenAI's name for the service tier that processed the call. */
  readonly serviceTier?: string;
  readonly raw?: unknown;
  /** Whether the counts, or those of one of several calls, are estimates. */
  readonly estimated?: boolean;
  /** The number of upstream calls whose counts are added up; absent for one. */
  readonly calls?: number;
  /** Whether the response is incomplete, so that counts can be estimates. */
  readonly partial?: boolean;
}
