import type { Dialect, Part } from "./parts.ts";

/** A whole answer. Most have one candidate. */
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

/** Length beats tool-calls: a cut-off answer is never reported as complete. `raw` is the vendor's word. */
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
 * Tokens. `input.total` includes cached ones and `output.total` includes reasoning, whatever the vendor's own
 * arithmetic; codecs convert. Absent means that the vendor did not say: nothing is invented.
 */
export interface Usage {
  readonly input: {
    readonly total?: number;
    readonly uncached?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    /** Of `cacheWrite`, what is kept for an hour and not for minutes. */
    readonly cacheWriteHour?: number;
  };
  readonly output: { readonly total?: number; readonly reasoning?: number };
  /** The tier that served the call, by OpenAI's names. */
  readonly serviceTier?: string;
  readonly raw?: unknown;
  readonly estimated?: boolean;
  /** Of an answer that broke off or was left: partly an estimate. */
  readonly partial?: boolean;
}
