import type { FallbackReason } from "../../config/proxy/limits.ts";
import type { AppError } from "../../errors.ts";
import { parseShouldRetry } from "../exchange/error-status.ts";
import { canRetry } from "../upstream/upstream-errors.ts";
import { type RetryHints, requestedPause } from "./retry-after.ts";
import type { Target, Targets } from "./select-targets.ts";

/** The outcome of an attempt, as far as the next attempt depends on it. */
export type AttemptOutcome =
  | { readonly kind: "completed" | "disconnected" }
  | { readonly kind: "failed"; readonly error: AppError }
  | { readonly kind: "broken"; readonly error: AppError }
  | ({ readonly kind: "refused"; readonly status: number; readonly isOverflow?: boolean } & RetryHints);

/** One attempt of a call at one target, and the remaining options. */
export interface Attempt extends Target {
  readonly key: string | undefined;
  /** Milliseconds to wait before the attempt. */
  readonly delayMs: number;
  /** Keys of the same target that have not been tried. */
  readonly otherKeys: readonly string[];
  readonly otherTargets: readonly Target[];
  /** The number of retries at the same target that the call has left. */
  readonly repeatsLeft: number;
  readonly orderKeys: KeyOrder;
  /** The failures after which the next target is tried; undefined stands for errors and rate limits. */
  readonly on: readonly FallbackReason[] | undefined;
}

/** Returns a target's keys in the order in which they are tried. */
export type KeyOrder = (target: Target) => readonly string[];

const REPEATS = 2;
/**
 * Maximum pause that an upstream can request before a retry, in milliseconds. If it requests more, the client receives
 * the upstream's response.
 */
const MAX_PAUSE_MS = 20_000;

export function firstAttempt(
  [first, ...others]: Targets,
  orderKeys: KeyOrder,
  on?: readonly FallbackReason[],
): Attempt {
  return attemptAt(first, others, REPEATS, orderKeys, on);
}

/** Returns the target of this attempt and the targets that have not been tried. */
export function remainingTargets({ upstream, model, contextWindow, otherTargets }: Attempt): Targets {
  return [{ upstream, model, contextWindow }, ...otherTargets];
}

/**
 * Returns the attempt after this outcome, or undefined if the outcome is final. If the upstream rejects the key (401,
 * 402, 403, 429), the next key is tried; if no key is left or the upstream fails, the next target; if the prompt
 * exceeds the context window, the next target with a larger one. Otherwise, the same target is tried again, twice at
 * most in a call, if the connection failed or the upstream requests a retry.
 */
export function nextAttempt(
  last: Attempt,
  outcome: AttemptOutcome,
  random: () => number = Math.random,
): Attempt | undefined {
  if (outcome.kind !== "failed" && outcome.kind !== "refused") return undefined;
  const pause = (REPEATS - last.repeatsLeft + 1) * 100 * (1 + random());
  if (outcome.kind === "failed")
    return (
      (hasFallback(last, "error") ? atNextTarget(last) : undefined) ??
      (canRetry(outcome.error) ? repeated(last, pause) : undefined)
    );
  const { status } = outcome;
  if (outcome.isOverflow) return atLargerWindow(last);
  const isKeyRefused = [401, 402, 403, 429].includes(status);
  const [key, ...otherKeys] = last.otherKeys;
  if (isKeyRefused && key !== undefined) return { ...last, key, otherKeys, delayMs: 0 };
  const shouldRetry = parseShouldRetry(outcome.headers);
  if (shouldRetry === false && (status === 429 || !isKeyRefused)) return undefined;
  const reason = status === 429 ? "rate_limit" : "error";
  const mayContinue = (isKeyRefused || status >= 500) && hasFallback(last, reason);
  const elsewhere = mayContinue ? atNextTarget(last) : undefined;
  if (elsewhere) return elsewhere;
  if (shouldRetry === false) return undefined;
  const requested = requestedPause(outcome) ?? (shouldRetry ? 0 : undefined);
  if (requested === undefined || requested > MAX_PAUSE_MS) return undefined;
  const isRepeated = shouldRetry || [429, 502, 503, 529].includes(status);
  return isRepeated ? repeated(last, requested + pause) : undefined;
}

function hasFallback({ on }: Attempt, reason: FallbackReason): boolean {
  return on === undefined || on.includes(reason);
}

/** Returns the attempt at the next target with a larger context window, if there is one. */
function atLargerWindow(last: Attempt): Attempt | undefined {
  const { contextWindow: current = 0, otherTargets } = last;
  const larger = otherTargets.filter(({ contextWindow = 0 }) => contextWindow > current);
  return atNextTarget({ ...last, otherTargets: larger });
}

function repeated(last: Attempt, delayMs: number): Attempt | undefined {
  return last.repeatsLeft > 0 ? { ...last, delayMs, repeatsLeft: last.repeatsLeft - 1 } : undefined;
}

/** Returns the attempt at the next target, if there is one. */
export function atNextTarget(last: Attempt): Attempt | undefined {
  const [target, ...others] = last.otherTargets;
  return target && attemptAt(target, others, last.repeatsLeft, last.orderKeys, last.on);
}

function attemptAt(
  target: Target,
  otherTargets: readonly Target[],
  repeatsLeft: number,
  orderKeys: KeyOrder,
  on: readonly FallbackReason[] | undefined,
): Attempt {
  const { upstream, model, contextWindow } = target;
  const [key, ...otherKeys] = orderKeys(target);
  return {
    upstream,
    model,
    contextWindow,
    key,
    otherKeys,
    delayMs: 0,
    otherTargets,
    repeatsLeft,
    orderKeys,
    on,
  };
}

/**
 * Returns the position of a key, counted from 1, which identifies it outside the process; undefined if the upstream has
 * at most one key.
 */
export function keyPosition(keys: readonly string[], key: string | undefined): number | undefined {
  return key !== undefined && keys.length > 1 ? keys.indexOf(key) + 1 : undefined;
}
