import { AppError } from "../../errors.ts";
import type { Reservation } from "../gateway/limits.ts";
import { createLimitError } from "../gateway/limits-refusal.ts";
import type { LimitQueue } from "../gateway/queue.ts";
import type { Target } from "../routing/select-targets.ts";
import type { Call } from "./call.ts";
import { countCalls, type EstimatedCost, estimateCost } from "./estimate-reservation.ts";

/** Reserves the additional cost of a fallback (`Limiter.reserveFallback`). */
export async function reserveFallback(
  queue: LimitQueue,
  call: Call,
  target: Target,
): Promise<AppError | undefined> {
  const { limits } = call;
  const key = limits?.key;
  if (limits === undefined || key === undefined) return undefined;
  const { subjects, totalMs } = key;
  let cost: EstimatedCost;
  try {
    const calls = countCalls(call, target, limits.estimate);
    cost = estimateCost(call, subjects, target, limits.estimate, calls);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  const before = limits.cost;
  if (cost.total <= before.total) return undefined;
  // Several upstream calls may continue at this target at once.
  limits.cost = cost;
  limits.count += 1;
  const reservation: Reservation = {
    id: `${call.id}/${limits.count}`,
    subjects,
    calls: 0,
    tokens: 0,
    micros: cost.total - before.total,
    inputMicros: Math.max(0, cost.input - before.input),
    totalMs,
  };
  const { excess } = await queue.store.reserve(reservation);
  if (excess !== undefined) {
    limits.cost = before;
    return createLimitError(excess, { ...reservation, micros: cost.total }, Date.now());
  }
  limits.dearer = [...(limits.dearer ?? []), reservation];
  return undefined;
}
