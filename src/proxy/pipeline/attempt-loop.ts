import type { AppError } from "../../errors.ts";
import {
  type Attempt,
  type AttemptOutcome,
  atNextTarget,
  firstAttempt,
  keyPosition,
  nextAttempt,
  remainingTargets,
} from "../routing/attempts.ts";
import type { Target, Targets } from "../routing/select-targets.ts";
import type { CancelSignal, ResponseError } from "../upstream/relay-task.ts";
import type { Call, OpenAttempt } from "./call.ts";
import type { UpstreamHold } from "./call-limits.ts";

/** An outcome with the status that is logged: its own, or that of an error within a response of status 200. */
export type LaneOutcome = AttemptOutcome & {
  readonly status?: number | undefined;
  readonly responseError?: Pick<ResponseError, "status"> | undefined;
};

/** The upstream rejected an option that the proxy added. The attempt is repeated without the option. */
export interface Resend {
  readonly kind: "resend";
  readonly status: number;
}

/** A call's request, which a lane sends to one target after another. */
export interface LaneRequest<Outcome extends LaneOutcome> {
  /** Sends the request once. Only a final outcome may have reached the client. */
  send(attempt: Attempt): Promise<Outcome | Resend>;
  /** Returns whether the request can be sent again. */
  isRepeatable(): boolean;
  /** Returns whether another target takes the same bytes in the same lane. */
  suits(target: Target): boolean;
  /** Releases an outcome that is followed by another attempt. */
  discard?(outcome: Outcome): void;
  /** Returns a signal that aborts when the client disconnects. Called only between attempts. */
  signal(): CancelSignal;
  /** Holds the reservation of one of several upstream calls. If set, the first attempt is reserved already. */
  readonly hold?: UpstreamHold;
}

/** The result of the attempts of a request. */
export type AttemptResult<Outcome> =
  | { readonly kind: "done"; readonly outcome: Outcome }
  /** The remaining targets require another form of the request. */
  | { readonly kind: "fallback"; readonly targets: Targets }
  | { readonly kind: "aborted" };

/**
 * Sends a request to its targets until an outcome is final: runs an attempt, records it, then ends, retries, or
 * continues with the next target, depending on the outcome.
 */
export async function runAttempts<Outcome extends LaneOutcome>(
  call: Call,
  targets: Targets,
  request: LaneRequest<Outcome>,
): Promise<AttemptResult<Outcome>> {
  const { cooldowns, keyPolicy, limiter } = call.services;
  const { hold } = request;
  let isReserved = hold !== undefined;
  let countedAt: string | undefined;
  let attempt = firstAttempt(targets, (target) => keyPolicy.order(target, call.session), call.on);
  for (;;) {
    call.upstream = attempt.upstream;
    const { subject } = attempt.upstream;
    if (isReserved) isReserved = false;
    else if (subject !== undefined) {
      const isLast = attempt.otherTargets.length === 0;
      const rejection = await limiter.reserveAtUpstream(call, attempt, { subject, isLast }, hold);
      if (rejection !== undefined) {
        const elsewhere = await leaveRejected(call, attempt, rejection);
        if (!request.suits(elsewhere)) return { kind: "fallback", targets: remainingTargets(elsewhere) };
        attempt = elsewhere;
        continue;
      }
    } else if (call.limits !== undefined) limiter.releaseUpstream(call, hold);
    if (call.runtime.usesStats) countedAt = countAt(call, attempt.upstream.name, countedAt);
    const entry = beginAttempt(call, attempt);
    const { ms: startedAt } = entry;
    const outcome = await request.send(attempt);
    endAttempt(entry, outcome);
    call.observation?.trace?.endAttempt(entry);
    if (outcome.kind === "resend") continue;
    cooldowns.record(attempt, outcome);
    if (call.runtime.usesStats && outcome.kind === "completed" && call.firstByteAt > startedAt)
      call.services.stats.measure(attempt.upstream.name, call.firstByteAt - startedAt);
    let next = request.isRepeatable() ? nextAttempt(attempt, outcome) : undefined;
    if (next !== undefined && call.limits?.key !== undefined) next = await findAffordable(call, next);
    if (next === undefined) return { kind: "done", outcome };
    request.discard?.(outcome);
    if (!(await paused(next.delayMs, request.signal()))) return { kind: "aborted" };
    // During the pause, an upload may have received more data than there is room for.
    if (!request.isRepeatable()) return { kind: "done", outcome };
    call.retries += 1;
    if (!request.suits(next)) {
      call.firstByteAt = 0;
      return { kind: "fallback", targets: remainingTargets(next) };
    }
    attempt = next;
  }
}

/**
 * Returns this attempt, or the first one at a later target, whose additional cost and tokens fit into the limits of the
 * key; undefined if there is none.
 */
async function findAffordable(call: Call, attempt: Attempt | undefined): Promise<Attempt | undefined> {
  let found = attempt;
  while (found !== undefined && (await call.services.limiter.reserveFallback(call, found)) !== undefined)
    found = atNextTarget(found);
  return found;
}

/**
 * Returns the next attempt after an upstream's limits have rejected this one. Throws the rejection if there is none.
 */
async function leaveRejected(call: Call, attempt: Attempt, rejection: AppError): Promise<Attempt> {
  const elsewhere = await findAffordable(call, atNextTarget(attempt));
  if (elsewhere !== undefined) return elsewhere;
  call.errorCode = rejection.code;
  throw rejection;
}

/** The targets of several upstream calls. The calls are reserved at the first target. */
export interface ReservedTargets {
  readonly kind: "reserved";
  readonly targets: Targets;
  /** The holds of the later attempts, one for each call. */
  readonly holds: readonly UpstreamHold[];
}

/**
 * Reserves several upstream calls at the first target with room for all of them. Returns a fallback if the next target
 * needs another form of the request. Throws `rate_limited` if no target has room.
 */
export async function reserveCalls(
  call: Call,
  targets: Targets,
  count: number,
  suits: (target: Target) => boolean,
): Promise<ReservedTargets | Extract<AttemptResult<never>, { kind: "fallback" }>> {
  const { limiter, keyPolicy } = call.services;
  const holds = limiter.beginSeparate(call, count);
  let attempt = firstAttempt(targets, (target) => keyPolicy.order(target, call.session), call.on);
  for (;;) {
    call.upstream = attempt.upstream;
    const { subject } = attempt.upstream;
    const isLast = attempt.otherTargets.length === 0;
    const rejection = subject && (await limiter.reserveTogether(call, { subject, isLast }));
    if (rejection === undefined) return { kind: "reserved", targets: remainingTargets(attempt), holds };
    const elsewhere = await leaveRejected(call, attempt, rejection);
    if (!suits(elsewhere)) return { kind: "fallback", targets: remainingTargets(elsewhere) };
    attempt = elsewhere;
  }
}

/** Counts an upstream call as in flight at `upstream`, and no longer at `previous`. Returns `upstream`. */
function countAt(call: Call, upstream: string, previous: string | undefined): string {
  const { stats } = call.services;
  call.countedAt ??= [];
  if (previous !== undefined && call.countedAt.includes(previous)) {
    call.countedAt.splice(call.countedAt.indexOf(previous), 1);
    stats.end(previous);
  }
  call.countedAt.push(upstream);
  stats.begin(upstream);
  return upstream;
}

function beginAttempt(call: Call, { upstream, model, key, delayMs }: Attempt): OpenAttempt {
  const entry: OpenAttempt = {
    upstream: upstream.name,
    key: keyPosition(upstream.keys, key),
    status: undefined,
    errorCode: undefined,
    waitMs: Math.round(delayMs),
    ms: performance.now(),
  };
  call.attempts.push(entry);
  call.observation?.trace?.beginAttempt(upstream, model);
  return entry;
}

function endAttempt(entry: OpenAttempt, outcome: LaneOutcome | Resend): void {
  entry.ms = Math.round(performance.now() - entry.ms);
  entry.errorCode = getErrorCode(outcome);
  entry.status = getStatus(outcome);
}

function getStatus(outcome: LaneOutcome | Resend): number | undefined {
  if (outcome.kind === "refused" || outcome.kind === "resend") return outcome.status;
  return outcome.kind === "completed" ? (outcome.responseError?.status ?? outcome.status) : undefined;
}

function getErrorCode(outcome: LaneOutcome | Resend): string | undefined {
  if (outcome.kind === "failed" || outcome.kind === "broken") return outcome.error.code;
  if (outcome.kind === "disconnected") return "client_gone";
  return (getStatus(outcome) ?? 0) >= 400 ? "upstream_error" : undefined;
}

/** Waits before another attempt. Resolves with false if the client disconnects. */
function paused(delayMs: number, signal: CancelSignal): Promise<boolean> {
  if (signal.aborted || delayMs === 0) return Promise.resolve(!signal.aborted);
  return new Promise((resolve) => {
    const onAbort = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    }, delayMs);
    signal.addEventListener("abort", onAbort);
  });
}
