import type { AppError } from "../../errors.ts";
import { canRetry } from "../upstream/upstream-errors.ts";
import { type RetryHints, requestedPause } from "./retry-after.ts";
import type { Target, Targets } from "./select-targets.ts";

/** How an attempt ended, as far as it decides on the next one. */
export type AttemptOutcome =
  | { readonly kind: "completed" | "disconnected" }
  | { readonly kind: "failed"; readonly error: AppError }
  | { readonly kind: "broken"; readonly error: AppError }
  | ({ readonly kind: "refused"; readonly status: number } & RetryHints);

/** One try of a call at one target, and what is left to try. */
export interface Attempt extends Target {
  readonly key: string | undefined;
  /** Milliseconds to wait before it. */
  readonly delayMs: number;
  /** Keys of the same target that are still to be tried. */
  readonly otherKeys: readonly string[];
  readonly otherTargets: readonly Target[];
  /** Attempts at the same target with the same key that may still be made. */
  readonly repeatsLeft: number;
  readonly orderKeys: KeyOrder;
}

/** Returns a target's keys in the order in which they are tried. */
export type KeyOrder = (target: Target) => readonly string[];

const REPEATS = 2;
/** An upstream that asks for a longer pause is not tried again; the client is told. */
const MAX_PAUSE_MS = 20_000;

/** Returns the first attempt, at the first target. */
export function firstAttempt([first, ...others]: Targets, orderKeys: KeyOrder): Attempt {
  return attemptAt(first, others, REPEATS, orderKeys);
}

/** Returns the targets that are left to try, from this attempt's on. */
export function remainingTargets({ upstream, model, otherTargets }: Attempt): Targets {
  return [{ upstream, model }, ...otherTargets];
}

/**
 * Returns the attempt after this outcome, or undefined where the outcome is final. A refused key is followed by the next
 * key, a failing upstream by the next target; the same target is tried again where connecting failed, or where it asks for
 * that itself with a short `retry-after`.
 */
export function nextAttempt(
  last: Attempt,
  outcome: AttemptOutcome,
  random: () => number = Math.random,
): Attempt | undefined {
  if (outcome.kind !== "failed" && outcome.kind !== "refused") return undefined;
  const pause = (REPEATS - last.repeatsLeft + 1) * 100 * (1 + random());
  if (outcome.kind === "failed")
    return atNextTarget(last) ?? (canRetry(outcome.error) ? repeated(last, pause) : undefined);
  const { status } = outcome;
  const isKeyRefused = [401, 402, 403, 429].includes(status);
  const [key, ...otherKeys] = last.otherKeys;
  if (isKeyRefused && key !== undefined) return { ...last, key, otherKeys, delayMs: 0 };
  const elsewhere = isKeyRefused || status >= 500 ? atNextTarget(last) : undefined;
  if (elsewhere) return elsewhere;
  const requested = requestedPause(outcome);
  if (requested === undefined || requested > MAX_PAUSE_MS) return undefined;
  return [429, 502, 503, 529].includes(status) ? repeated(last, requested + pause) : undefined;
}

function repeated(last: Attempt, delayMs: number): Attempt | undefined {
  return last.repeatsLeft > 0 ? { ...last, delayMs, repeatsLeft: last.repeatsLeft - 1 } : undefined;
}

function atNextTarget(last: Attempt): Attempt | undefined {
  const [target, ...others] = last.otherTargets;
  return target && attemptAt(target, others, last.repeatsLeft, last.orderKeys);
}

function attemptAt(
  target: Target,
  otherTargets: readonly Target[],
  repeatsLeft: number,
  orderKeys: KeyOrder,
): Attempt {
  const { upstream, model } = target;
  const [key, ...otherKeys] = orderKeys(target);
  return { upstream, model, key, otherKeys, delayMs: 0, otherTargets, repeatsLeft, orderKeys };
}
