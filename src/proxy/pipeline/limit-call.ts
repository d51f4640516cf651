import type { Subject } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import { getProfile } from "../dialects/index.ts";
import type { Usage } from "../exchange/response.ts";
import {
  type Decision,
  type LimitName,
  type LimitStore,
  type Reservation,
  toMicros,
} from "../gateway/limits.ts";
import { limitHeaders } from "../gateway/limits-headers.ts";
import { createLimitError } from "../gateway/limits-refusal.ts";
import type { CallMeta } from "../gateway/lost-calls.ts";
import { LimitQueue } from "../gateway/queue.ts";
import { matchesGlob } from "../glob.ts";
import type { Target, Targets } from "../routing/select-targets.ts";
import type { Call } from "./call.ts";
import { type CallBody, modelIn } from "./call-body.ts";
import {
  countCalls,
  type Estimate,
  estimateCost,
  estimateFor,
  NOTHING,
  sumTokens,
} from "./estimate-reservation.ts";
import type { CalledOperation } from "./operation-path.ts";

/** The reservations of a call. Calls without limits have none. */
export interface CallLimits {
  readonly estimate: Estimate;
  /** The reservation of the key and its team. */
  key: Reservation | undefined;
  /** The reservation at the current upstream. */
  upstream: Reservation | undefined;
  /** Number of reservations at upstreams so far. */
  count: number;
}

/** Enforces the limits of keys, teams and upstreams. */
export interface Limiter {
  /**
   * Throws `model_not_allowed` if the key's list has no pattern for the model that the client names, or if the client
   * names none.
   */
  expectAllowedModel(call: Call, called: CalledOperation, body: CallBody): void;
  /**
   * Reserves the maximum usage of a call with its key and its team. Throws `rate_limited`, `budget_exceeded` or
   * `model_not_allowed`; a rejected call has reached no upstream.
   */
  reserveForKey(call: Call, called: CalledOperation, targets: Targets, body: CallBody): Promise<void>;
  /** Estimates the call's tokens if a target has a limit of tokens. */
  estimateForUpstreams(call: Call, called: CalledOperation, targets: Targets, body: CallBody): void;
  /**
   * Reserves a call's attempt at an upstream with limits, and ends the reservation of the attempt before. Returns the
   * error if the upstream is full. Waits for room only if no other target is left.
   */
  reserveAtUpstream(
    call: Call,
    target: Target,
    subject: Subject,
    isLast: boolean,
  ): Promise<AppError | undefined>;
  /** Ends the reservation of an attempt that did not lead to the response. */
  releaseUpstream(call: Call): void;
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
    reserveAtUpstream: (call, target, subject, isLast) =>
      reserveAtUpstream(queue, call, target, subject, isLast),
    releaseUpstream: ({ limits }) => releaseUpstream(queue, limits),
    settle(limits, usage, cost) {
      const tokens = (usage?.input.total ?? 0) + (usage?.output.total ?? 0);
      const used = { tokens, micros: toMicros(cost ?? 0) };
      if (limits.key !== undefined) queue.settle(limits.key, used);
      if (limits.upstream !== undefined) queue.settle(limits.upstream, used);
      limits.key = undefined;
      limits.upstream = undefined;
    },
  };
}

function beginLimits(estimate: Estimate, key?: Reservation): CallLimits {
  return { estimate, key, upstream: undefined, count: 0 };
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
    throw new AppError("model_not_allowed", `${named} may not call without the name of a model. ${allowed}`);
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
  const estimate = isCounted ? estimateFor(call, called, body) : NOTHING;
  const limits = beginLimits(estimate);
  call.limits = limits;
  const calls = countCalls(call, target, estimate);
  const cost = estimateCost(call, called, subjects, target, estimate, calls);
  // An object spread would give each reservation its own hidden class (docs/performance.md).
  const reservation: Reservation = {
    id: call.id,
    subjects,
    tokens: sumTokens(estimate, calls),
    micros: cost.total,
    inputMicros: cost.input,
    totalMs: runtime.config.totalMs,
    meta: queue.store.keepsMeta ? formatCallMeta(call, target) : undefined,
  };
  const decision = await queue.reserve(reservation, runtime.config.queue, ["concurrency"], () =>
    disconnectSignal(call),
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

const UPSTREAM_LIMITS: readonly LimitName[] = ["concurrency", "rpm", "tpm"];

async function reserveAtUpstream(
  queue: LimitQueue,
  call: Call,
  target: Target,
  subject: Subject,
  isLast: boolean,
): Promise<AppError | undefined> {
  const { runtime } = call;
  const limits = call.limits ?? beginLimits(NOTHING);
  call.limits = limits;
  releaseUpstream(queue, limits);
  const { estimate } = limits;
  limits.count += 1;
  const reservation: Reservation = {
    id: `${call.id}/${limits.count}`,
    subjects: [subject],
    tokens: sumTokens(estimate, countCalls(call, target, estimate)),
    micros: 0,
    inputMicros: 0,
    totalMs: runtime.config.totalMs,
  };
  const settings = isLast ? runtime.config.queue : undefined;
  const { excess } = await queue.reserve(reservation, settings, UPSTREAM_LIMITS, () =>
    disconnectSignal(call),
  );
  if (excess !== undefined) return createLimitError(excess, reservation, Date.now());
  limits.upstream = reservation;
  return undefined;
}

function releaseUpstream(queue: LimitQueue, limits: CallLimits | undefined): void {
  if (limits?.upstream === undefined) return;
  queue.settle(limits.upstream, { tokens: 0, micros: 0 });
  limits.upstream = undefined;
}

function estimateForUpstreams(call: Call, called: CalledOperation, targets: Targets, body: CallBody): void {
  if (call.limits !== undefined && call.limits.estimate !== NOTHING) return;
  if (!targets.some(({ upstream }) => upstream.subject?.limits.tpm !== undefined)) return;
  call.limits = beginLimits(estimateFor(call, called, body), call.limits?.key);
}

/** Returns a signal that aborts with `client_gone` when the client disconnects. */
function disconnectSignal({ response }: Call): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new AppError("client_gone", "The client disconnected"));
  if (response.destroyed) abort();
  else response.once("close", abort);
  return controller.signal;
}

/** Describes a call for the replica that finds it lost: `CallMeta` as JSON. */
function formatCallMeta({ id, key, client, request, route, model, stream }: Call, target: Target): string {
  const meta: CallMeta = {
    time: new Date().toISOString(),
    id,
    key: key?.name,
    key_id: key?.id,
    team: key?.team,
    tags: key?.tags,
    client,
    method: request.method ?? "",
    route: route.path,
    model,
    upstream: target.upstream.name,
    upstream_model: target.model,
    stream,
  };
  return JSON.stringify(meta);
}
