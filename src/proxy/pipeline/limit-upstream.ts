import type { Writable } from "node:stream";
import type { Subject } from "../../config/proxy/limits.ts";
import type { AppError } from "../../errors.ts";
import type { LimitName, Reservation } from "../gateway/limits.ts";
import { createLimitError } from "../gateway/limits-refusal.ts";
import type { LimitQueue } from "../gateway/queue.ts";
import type { Target } from "../routing/select-targets.ts";
import { clientDisconnected } from "../upstream/upstream-errors.ts";
import type { Call } from "./call.ts";
import { beginLimits, type CallLimits, type SeparateCalls, type UpstreamHold } from "./call-limits.ts";
import { countCalls, NOTHING, sumTokens } from "./estimate-reservation.ts";

/** An upstream whose limits an attempt is counted against. */
export interface LimitedUpstream {
  readonly subject: Subject;
  /** Whether no other target is left, so that the attempt waits for room. */
  readonly isLast: boolean;
}

/** The limits of an upstream that a call can wait for. */
export const UPSTREAM_LIMITS: readonly LimitName[] = ["concurrency", "rpm", "tpm"];

/** Reserves an attempt at an upstream (`Limiter.reserveAtUpstream`). */
export function reserveAtUpstream(
  queue: LimitQueue,
  call: Call,
  target: Target,
  { subject, isLast }: LimitedUpstream,
  hold: UpstreamHold | undefined,
): Promise<AppError | undefined> {
  const limits = getLimits(call);
  releaseUpstream(queue, limits, hold);
  const { estimate } = limits;
  const tokens =
    hold === undefined
      ? sumTokens(estimate, countCalls(call, target, estimate))
      : sumTokens({ ...estimate, candidates: 1 }, 1);
  return reserve(queue, call, limits, { subject, isLast, calls: 1, tokens, hold: hold ?? limits });
}

/** Reserves the first attempts of several calls (`Limiter.reserveTogether`). */
export function reserveTogether(
  queue: LimitQueue,
  call: Call,
  { subject, isLast }: LimitedUpstream,
): Promise<AppError | undefined> {
  const limits = getLimits(call);
  const calls = limits.separate?.count ?? 1;
  const tokens = sumTokens(limits.estimate, calls);
  return reserve(queue, call, limits, { subject, isLast, calls, tokens, hold: limits });
}

/**
 * Ends the earlier reservation, and returns a hold for each of several upstream calls that will be sent at once
 * (`Limiter.beginSeparate`).
 */
export function beginSeparate(queue: LimitQueue, call: Call, count: number): readonly UpstreamHold[] {
  const limits = getLimits(call);
  releaseUpstream(queue, limits, undefined);
  const holds = Array.from({ length: count }, (): UpstreamHold => ({ upstream: undefined }));
  limits.separate = { count, holds };
  return holds;
}

function getLimits(call: Call): CallLimits {
  call.limits ??= beginLimits(NOTHING);
  return call.limits;
}

/** A reservation to make at an upstream, and the hold that receives it. */
interface UpstreamReservation extends LimitedUpstream, Pick<Reservation, "calls" | "tokens"> {
  readonly hold: UpstreamHold;
}

async function reserve(
  queue: LimitQueue,
  call: Call,
  limits: CallLimits,
  { subject, isLast, calls, tokens, hold }: UpstreamReservation,
): Promise<AppError | undefined> {
  const { config } = call.runtime;
  limits.count += 1;
  const reservation: Reservation = {
    id: `${call.id}/${limits.count}`,
    subjects: [subject],
    calls,
    tokens,
    micros: 0,
    inputMicros: 0,
    totalMs: config.totalMs,
  };
  const settings = isLast ? config.queue : undefined;
  const { excess } = await queue.reserve(reservation, settings, UPSTREAM_LIMITS, () =>
    disconnectSignal(call.response),
  );
  if (excess !== undefined) return createLimitError(excess, reservation, Date.now());
  hold.upstream = reservation;
  return undefined;
}

/** Ends the reservation of one of several upstream calls, or without `hold` all reservations at upstreams. */
export function releaseUpstream(
  queue: LimitQueue,
  limits: CallLimits | undefined,
  hold: UpstreamHold | undefined,
): void {
  if (limits === undefined) return;
  if (hold === undefined) settleUpstream(queue, limits, 0);
  else if (hold.upstream !== undefined) settleHold(queue, hold, 0);
}

/** Ends all reservations at upstreams. Each of several upstream calls is charged its share of the tokens. */
export function settleUpstream(queue: LimitQueue, limits: CallLimits, tokens: number): void {
  const { separate } = limits;
  const elsewhere = separate === undefined ? 0 : settleSeparate(queue, separate, tokens);
  if (limits.upstream !== undefined) settleHold(queue, limits, tokens - elsewhere);
  limits.separate = undefined;
}

/** Ends the calls' own reservations. Returns the tokens that they were charged. */
function settleSeparate(queue: LimitQueue, { count, holds }: SeparateCalls, tokens: number): number {
  const part = Math.floor(tokens / count);
  const own = holds.filter(({ upstream }) => upstream !== undefined);
  for (const hold of own) settleHold(queue, hold, part);
  return own.length * part;
}

function settleHold(queue: LimitQueue, hold: UpstreamHold, tokens: number): void {
  if (hold.upstream !== undefined) queue.settle(hold.upstream, { tokens, micros: 0 });
  hold.upstream = undefined;
}

/** Returns a signal that aborts with `client_gone` when the client's response or socket is closed. */
export function disconnectSignal(response: Pick<Writable, "destroyed" | "once">): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(clientDisconnected());
  if (response.destroyed) abort();
  else response.once("close", abort);
  return controller.signal;
}
