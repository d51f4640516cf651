import type { UpstreamConfig } from "../../config/proxy-config.ts";
import type { AppError } from "../../errors.ts";
import { mayTryAgain } from "./faults.ts";

/** One try at a call: where, with which key, and what is left to try. */
export interface Try {
  readonly upstream: UpstreamConfig;
  readonly key: string | undefined;
  readonly delayMs: number;
  /** Other keys of this upstream, then other upstreams. */
  readonly otherKeys: readonly string[];
  readonly otherUpstreams: readonly UpstreamConfig[];
  /** Tries at the same place that may still be made. */
  readonly repeats: number;
}

/** As much of a try's outcome as decides on the next. */
export type Tried =
  | { readonly kind: "answered" | "broken" | "gone" }
  | { readonly kind: "failed"; readonly fault: AppError }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: { readonly "retry-after"?: string | undefined };
    };

const REPEATS = 2;
/** An upstream that wants a longer pause than this gets it from the client. */
const LONGEST_PAUSE_S = 20;

const turns = new WeakMap<UpstreamConfig, number>();

/** The first try. Keys of an upstream take turns. */
export function planTries(upstreams: readonly UpstreamConfig[]): Try {
  const upstream = upstreams[0];
  if (!upstream) throw new TypeError("a call needs an upstream");
  return beginAt(upstream, upstreams.length > 1 ? upstreams.slice(1) : NONE, REPEATS);
}

/**
 * What to try after this outcome, or undefined where it is the answer. A refused key is followed by the next key, a
 * failing upstream by the next upstream; the same place is tried again where connecting failed, or where it asks for
 * that itself with a short `retry-after`.
 */
export function nextTry(last: Try, outcome: Tried, random: () => number = Math.random): Try | undefined {
  if (outcome.kind !== "failed" && outcome.kind !== "refused") return undefined;
  const pause = (REPEATS - last.repeats + 1) * 100 * (1 + random());
  if (outcome.kind === "failed") {
    const again = mayTryAgain(outcome.fault);
    const elsewhere = atNextUpstream(last);
    if (elsewhere) return elsewhere;
    return again && last.repeats > 0 ? { ...last, delayMs: pause, repeats: last.repeats - 1 } : undefined;
  }
  const { status } = outcome;
  const isKeyTrouble = status === 401 || status === 402 || status === 403 || status === 429;
  const [key, ...otherKeys] = last.otherKeys;
  if (isKeyTrouble && key !== undefined) return { ...last, key, otherKeys, delayMs: 0 };
  if (isKeyTrouble || status >= 500) {
    const elsewhere = atNextUpstream(last);
    if (elsewhere) return elsewhere;
  }
  const asked = retryAfterMs(outcome.headers["retry-after"]);
  if (asked === undefined || last.repeats === 0 || ![429, 502, 503, 529].includes(status)) return undefined;
  return { ...last, delayMs: asked + pause, repeats: last.repeats - 1 };
}

function atNextUpstream(last: Try): Try | undefined {
  const [upstream, ...others] = last.otherUpstreams;
  return upstream && beginAt(upstream, others, last.repeats);
}

const NONE: readonly never[] = [];

function beginAt(upstream: UpstreamConfig, otherUpstreams: readonly UpstreamConfig[], repeats: number): Try {
  const { keys } = upstream;
  if (keys.length < 2)
    return { upstream, key: keys[0], otherKeys: NONE, delayMs: 0, otherUpstreams, repeats };
  const turn = turns.get(upstream) ?? 0;
  turns.set(upstream, (turn + 1) % keys.length);
  const [key, ...otherKeys] = [...keys.slice(turn), ...keys.slice(0, turn)];
  return { upstream, key, otherKeys, delayMs: 0, otherUpstreams, repeats };
}

/** Milliseconds, of a `retry-after` short enough to wait for here; seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isNaN(seconds) || seconds > LONGEST_PAUSE_S ? undefined : Math.max(0, seconds * 1000);
}
