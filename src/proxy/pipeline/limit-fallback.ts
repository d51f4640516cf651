import { AppError } from "../../errors.ts";
import type { Reservation } from "../gateway/limits.ts";
import { createLimitError } from "../gateway/limits-refusal.ts";
import type { LimitQueue } from "../gateway/queue.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Call } from "./call.ts";
import { countCalls, type EstimatedCost, estimateCost, sumTokens } from "./estimate-reservation.ts";

/** Reserves the additional cost and tokens of a fallback (`Limiter.reserveFallback`). */
export async function reserveFallback(
  queue: LimitQueue,
  call: Call,
  target: Target,
): Promise<AppError | undefined> {
  const { limits } = call;
  const key = limits?.key;
  if (limits === undefined || key === undefined) return undefined;
  const { subjects, totalMs } = key;
  const calls = countCalls(call, target, limits.estimate);
  let cost: EstimatedCost;
  try {
    cost = estimateCost(call, subjects, target, limits.estimate, calls);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  const { cost: before, tokens: tokensBefore } = limits;
  const micros = Math.max(0, cost.total - before.total);
  const isCounted = subjects.some(({ limits: { tpm } }) => tpm !== undefined);
  const tokens = isCounted ? Math.max(0, sumTokens(limits.estimate, calls) - tokensBefore) : 0;
  if (micros === 0 && tokens === 0) return undefined;
  // The totals are updated before the wait, because several upstream calls may continue at this target at once.
  if (micros > 0) limits.cost = cost;
  limits.tokens += tokens;
  limits.count += 1;
  const reservation: Reservation = {
    id: `${call.id}/${limits.count}`,
    subjects,
    calls: 0,
    tokens,
    micros,
    inputMicros: Math.min(micros, Math.max(0, cost.input - before.input)),
    totalMs,
  };
  const { excess } = await queue.store.reserve(reservation);
  if (excess !== undefined) {
    limits.cost = before;
    limits.tokens -= tokens;
    const whole = { ...reservation, micros: cost.total, tokens: tokensBefore + tokens };
    return createLimitError(excess, whole, Date.now());
  }
  limits.dearer = [...(limits.dearer ?? []), reservation];
  return undefined;
}
