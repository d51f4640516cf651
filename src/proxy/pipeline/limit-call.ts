import type { Subject } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import { getProfile } from "../dialects/index.ts";
import type { Usage } from "../exchange/response.ts";
import { type Decision, type LimitStore, type Reservation, toMicros } from "../gateway/limits.ts";
import { limitHeaders } from "../gateway/limits-headers.ts";
import { createLimitError } from "../gateway/limits-refusal.ts";
import { LimitQueue } from "../gateway/queue.ts";
import { matchesGlob } from "../glob.ts";
import type { Target, Targets } from "../routing/select-targets.ts";
import type { Call } from "./call.ts";
import { type CallBody, modelIn } from "./call-body.ts";
import { beginLimits, type CallLimits, formatCallMeta, type UpstreamHold } from "./call-limits.ts";
import { countCalls, estimateCost, estimateFor, NOTHING, sumTokens } from "./estimate-reservation.ts";
import { reserveFallback } from "./limit-fallback.ts";
import {
  beginSeparate,
  disconnectSignal,
  type LimitedUpstream,
  releaseUpstream,
  reserveAtUpstream,
  reserveTogether,
  settleUpstream,
} from "./limit-upstream.ts";
import { type LimitedWebSocket, reserveWebSocket } from "./limit-websocket.ts";
import type { CalledOperation } from "./operation-path.ts";

/** Enforces the limits of keys, teams and upstreams. */
export interface Limiter {
  /**
   * Throws `model_not_allowed` if the key's list has no pattern for the model that the client names, or if a body that
   * must name a model names none.
   */
  expectAllowedModel(call: Call, called: CalledOperation, body: CallBody): void;
  /**
   * Reserves the maximum usage of a call against the limits of its key and team. Throws `rate_limited` or
   * `budget_exceeded` if the call does not fit, and the errors of `estimateCost`.
   */
  reserveForKey(call: Call, called: CalledOperation, targets: Targets, body: CallBody): Promise<void>;
  /**
   * Counts a WebSocket as one call against the limits of its key, team and upstream, until `settle`. Throws
   * `rate_limited` if it does not fit.
   */
  reserveWebSocket(call: LimitedWebSocket, target: Target): Promise<void>;
  /** Estimates the call's tokens if the upstream of a target has a limit of tokens, unless they have been estimated. */
  estimateForUpstreams(call: Call, called: CalledOperation, targets: Targets, body: CallBody): Promise<void>;
  /**
   * Reserves a call's attempt at an upstream with limits, and ends the reservation of the previous attempt. Returns the
   * error if the upstream is full. Waits for room only if no other target is left. `hold` receives the reservation of
   * one of several upstream calls.
   */
  reserveAtUpstream(
    call: Call,
    target: Target,
    upstream: LimitedUpstream,
    hold?: UpstreamHold,
  ): Promise<AppError | undefined>;
  /** Ends the reservation of an attempt that did not lead to the response. */
  releaseUpstream(call: Call, hold?: UpstreamHold): void;
  /** Begins several upstream calls that are sent at once, and ends earlier reservations. Returns a hold for each. */
  beginSeparate(call: Call, count: number): readonly UpstreamHold[];
  /** Reserves the first attempts of these calls, all or none. Returns the error as `reserveAtUpstream` does. */
  reserveTogether(call: Call, upstream: LimitedUpstream): Promise<AppError | undefined>;
  /** Ends all reservations at upstreams that the call leaves, and charges this usage to them. */
  leaveUpstream(call: Call, usage: Usage | undefined): void;
  /**
   * Reserves the additional cost and tokens of a target that is more expensive, or needs more upstream calls, than
   * those before it. Returns the error if they exceed a limit, or if the target's price is not known and the
   * configuration rejects such calls.
   */
  reserveFallback(call: Call, target: Target): Promise<AppError | undefined>;
  /** Ends all reservations of a call. `cost` is in US dollars. */
  settle(limits: CallLimits, usage: Usage | undefined, cost: number | undefined): void;
}

/** Creates the limiter of one proxy. */
export function createLimiter(store: LimitStore): Limiter {
  const queue = new LimitQueue(store);
  return {
    expectAllowedModel,
    estimateForUpstreams,
    reserveForKey: (call, called, targets, body) => reserveForKey(queue, call, called, targets, body),
    reserveWebSocket: (call, target) => reserveWebSocket(queue, call, target),
    reserveAtUpstream: (call, target, upstream, hold) =>
      reserveAtUpstream(queue, call, target, upstream, hold),
    releaseUpstream: ({ limits }, hold) => releaseUpstream(queue, limits, hold),
    beginSeparate: (call, count) => beginSeparate(queue, call, count),
    reserveTogether: (call, upstream) => reserveTogether(queue, call, upstream),
    reserveFallback: (call, target) => reserveFallback(queue, call, target),
    leaveUpstream({ limits }, usage) {
      if (limits === undefined) return;
      const tokens = countTokens(usage);
      limits.leftTokens += tokens;
      settleUpstream(queue, limits, tokens);
    },
    settle(limits, usage, cost) {
      const tokens = countTokens(usage);
      if (limits.key !== undefined) queue.settle(limits.key, { tokens, micros: toMicros(cost ?? 0) });
      for (const dearer of limits.dearer ?? []) queue.settle(dearer, { tokens: 0, micros: 0 });
      limits.key = undefined;
      limits.dearer = undefined;
      settleUpstream(queue, limits, tokens - limits.leftTokens);
    },
  };
}

function countTokens(usage: Usage | undefined): number {
  return (usage?.input.total ?? 0) + (usage?.output.total ?? 0);
}

function expectAllowedModel(call: Call, called: CalledOperation, body: CallBody): void {
  const patterns = call.key?.models;
  if (patterns === undefined) return;
  const model = called.model ?? modelIn(body);
  const named = `The key ${JSON.stringify(call.key?.name)}`;
  const allowed = `Allowed: ${patterns.join(", ").slice(0, 500)}.`;
  if (model === undefined) {
    if (called.operation === "stored-response" || body.kind === "none") return;
    // Some upstreams have a default model.
    throw new AppError("model_not_allowed", `${named} may not make calls that name no model. ${allowed}`);
  }
  if (patterns.some((pattern) => matchesGlob(pattern, model))) return;
  call.model = model;
  throw new AppError(
    "model_not_allowed",
    `${named} may not call the model ${JSON.stringify(model.slice(0, 200))}. ${allowed}`,
  );
}

async function reserveForKey(
  queue: LimitQueue,
  call: Call,
  called: CalledOperation,
  [target]: Targets,
  body: CallBody,
): Promise<void> {
  const { key, runtime } = call;
  const subjects = key?.subjects;
  if (subjects === undefined) return;
  const isCounted = subjects.some(({ limits }) => limits.tpm !== undefined || limits.budgets?.length);
  const estimate = isCounted ? await estimateFor(call, called, body) : NOTHING;
  const limits = beginLimits(estimate);
  call.limits = limits;
  const calls = countCalls(call, target, estimate);
  const cost = estimateCost(call, subjects, target, estimate, calls);
  const tokens = sumTokens(estimate, calls);
  limits.cost = cost;
  limits.tokens = tokens;
  // In Node.js 20, an object spread would give each reservation its own hidden class (docs/performance.md).
  const reservation: Reservation = {
    id: call.id,
    subjects,
    calls: 1,
    tokens,
    micros: cost.total,
    inputMicros: cost.input,
    totalMs: runtime.config.totalMs,
    meta: queue.store.keepsMeta ? formatCallMeta(call, target) : undefined,
  };
  const decision = await queue.reserve(reservation, runtime.config.queue, ["concurrency"], () =>
    disconnectSignal(call.response),
  );
  addHeaders(call, subjects, decision);
  if (decision.excess !== undefined) throw createLimitError(decision.excess, reservation, Date.now());
  limits.key = reservation;
}

function addHeaders(call: Call, subjects: readonly Subject[], decision: Decision): void {
  const { rateLimitHeaders } = getProfile(call.dialect).client;
  const headers = limitHeaders(rateLimitHeaders, subjects, decision, Date.now());
  if (headers.length > 0) call.fixedHeaders = [...call.fixedHeaders, ...headers];
}

async function estimateForUpstreams(
  call: Call,
  called: CalledOperation,
  targets: Targets,
  body: CallBody,
): Promise<void> {
  if (call.limits !== undefined && call.limits.estimate !== NOTHING) return;
  if (!targets.some(({ upstream }) => upstream.subject?.limits.tpm !== undefined)) return;
  const limits = beginLimits(await estimateFor(call, called, body));
  limits.key = call.limits?.key;
  call.limits = limits;
}
