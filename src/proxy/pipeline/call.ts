import type { IncomingMessage, ServerResponse } from "node:http";
import type { ProxyKey, UpstreamConfig } from "../../config/proxy/config.ts";
import type { FallbackReason } from "../../config/proxy/limits.ts";
import type { AppError } from "../../errors.ts";
import { listSecrets } from "../auth/credentials.ts";
import { BodyShare } from "../body/body-memory.ts";
import type { Loss } from "../exchange/loss.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import type { AttemptRecord, CallRecord } from "../observability/request-log.ts";
import { createRedactor, redactKeyShapes, redactOwnKeys } from "../redact.ts";
import type { Route } from "../routes.ts";
import { getSession } from "../routing/session-affinity.ts";
import type { Runtime } from "../runtime.ts";
import type { Services } from "../services.ts";
import type { BodyExcess } from "./call-body.ts";
import type { CallLimits } from "./call-limits.ts";
import { totalOf } from "./call-usage.ts";
import type { Observation } from "./observe-call.ts";
import type { TargetUsage } from "./separate-responses.ts";

/** A request that has passed admission, and its unused response. */
export interface AdmittedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The configuration at the time of admission; a reload does not change it. */
  readonly runtime: Runtime;
  /** The valid key that the client has sent, if any. */
  readonly key: ProxyKey | undefined;
  /** The parameters of the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** The response headers that admission has set, such as CORS headers: flat list, names in lower case. */
  readonly corsHeaders: readonly string[];
}

/** One attempt of a call, while it runs. */
export type OpenAttempt = { -readonly [Name in keyof AttemptRecord]: AttemptRecord[Name] };

/** The state of one call to a model, and what is logged about it. */
export interface Call {
  readonly id: string;
  readonly startedAt: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly key: ProxyKey | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** The client's address. */
  readonly client: string;
  /** The client's session; undefined if it sends none. */
  readonly session: string | undefined;
  readonly route: Route;
  /** The client's dialect. */
  readonly dialect: Dialect;
  readonly runtime: Runtime;
  readonly services: Services;
  /** The proxy's headers on every response: flat list, names in lower case. */
  fixedHeaders: readonly string[];
  /** The call's reservations against limits; undefined if no limits apply. */
  limits: CallLimits | undefined;
  /** Counts the memory of the body. */
  readonly share: BodyShare;
  /** The bound that the body exceeds. If set, the body must not be parsed. */
  excess: BodyExcess | undefined;
  /** The number of JSON values in the request body. */
  values: number;
  model: string | undefined;
  upstream: UpstreamConfig | undefined;
  upstreamModel: string | undefined;
  stream: boolean;
  status: number;
  firstByteAt: number;
  retries: number;
  readonly attempts: OpenAttempt[];
  /** The pattern of the rule that chose the call's targets. */
  rule: string | undefined;
  /** Failures after which the next target is tried; if undefined, errors and rate limits. */
  on: readonly FallbackReason[] | undefined;
  /** The upstreams that count the call as in flight, once for each upstream call; undefined if none does. */
  countedAt: string[] | undefined;
  /** The usage at the last target. */
  usage: Usage | undefined;
  /** The usage at targets other than the last one; undefined if there is none. */
  elsewhere: readonly TargetUsage[] | undefined;
  losses: readonly Loss[];
  /** The error message for the log. */
  errorMessage: string | undefined;
  /** The error code for the log; undefined if the status implies it. */
  errorCode: string | undefined;
  /** Whether the call took longer than `timeouts.total`. */
  isTimedOut: boolean;
  /** Sends the last bytes of the response, once the call is recorded. */
  sendEnd: (() => void) | undefined;
  /** Data about the call for OpenTelemetry and captures; undefined if neither is configured. */
  readonly observation: Observation | undefined;
  /** The index in the list of running calls; -1 if the call is not in it. */
  index: number;
}

/** Begins a call: counts it and adds it to the running calls. */
export function openCall(
  { request, response, runtime, key, params, corsHeaders }: AdmittedRequest,
  route: Route & { readonly dialect: Dialect },
  services: Services,
): Call {
  const id = services.nextRequestId();
  services.metrics.begin();
  const call: Call = {
    id,
    startedAt: performance.now(),
    request,
    response,
    key,
    params,
    client: runtime.forwarding.client(request.socket.remoteAddress, request.headers),
    session: getSession(request.headers),
    route,
    dialect: route.dialect,
    runtime,
    services,
    fixedHeaders: ["x-sallyport-request-id", id, ...corsHeaders],
    limits: undefined,
    share: new BodyShare(services.memory),
    excess: undefined,
    values: 0,
    model: undefined,
    upstream: undefined,
    upstreamModel: undefined,
    stream: false,
    status: 0,
    firstByteAt: 0,
    retries: 0,
    attempts: [],
    rule: undefined,
    on: undefined,
    countedAt: undefined,
    usage: undefined,
    elsewhere: undefined,
    losses: [],
    errorMessage: undefined,
    errorCode: undefined,
    isTimedOut: false,
    sendEnd: undefined,
    observation: services.observer.begin(request, response, runtime, key),
    index: -1,
  };
  services.recent.begin(call);
  return call;
}

/** Returns the proxy's headers for a response. They name the upstream if one was chosen. */
export function ownHeaders({ fixedHeaders, upstream }: Call): string[] {
  return upstream ? [...fixedHeaders, "x-sallyport-upstream", upstream.name] : [...fixedHeaders];
}

/** Returns whether the vendor's rate-limit headers are withheld from the client, because limits apply to its key. */
export function hidesVendorLimits({ key }: Call): boolean {
  return key?.subjects !== undefined;
}

/**
 * Registers the function that sends the last bytes of a response. It is called once the call has been recorded, so that
 * a client that has its whole response finds the call in the ledger, even if the process is killed at that moment.
 */
export function endWith(call: Call, send: () => void): void {
  call.sendEnd = send;
}

/** Stops counting the call's upstream calls as in flight. */
export function endCounts(call: Call): void {
  for (const upstream of call.countedAt ?? []) call.services.stats.end(upstream);
  call.countedAt = undefined;
}

/** Ends a call: releases its memory, records it and sends the end of the response. */
export function settle(call: Call): void {
  const { services, request } = call;
  call.share.release();
  const now = performance.now();
  const { headers } = request;
  endCounts(call);
  if (call.isTimedOut) recordTimeout(call);
  const errorCode = getErrorCode(call);
  const { usage, cost } = totalOf(call);
  if (call.limits !== undefined) services.limiter.settle(call.limits, usage, cost);
  const record: CallRecord = {
    time: formatNow(),
    id: call.id,
    key: call.key?.name,
    keyId: call.key?.id,
    team: call.key?.team,
    tags: call.key?.tags,
    client: call.client,
    clientRequestId: recordable(headers["x-request-id"], call.runtime),
    session: recordable(call.session, call.runtime),
    userAgent: recordable(headers["user-agent"], call.runtime),
    traceId: parseTraceId(headers["traceparent"]),
    method: request.method ?? "",
    route: call.route.path,
    model: call.model,
    upstream: call.upstream?.name,
    // The model is empty if the client has named none.
    upstreamModel: call.upstreamModel || undefined,
    modelLabel: getModelLabel(call, errorCode === undefined),
    status: call.status,
    ms: round(now - call.startedAt),
    firstByteMs: call.firstByteAt === 0 ? undefined : round(call.firstByteAt - call.startedAt),
    stream: call.stream,
    retries: call.retries,
    attempts: call.attempts,
    usage,
    cost,
    losses: call.losses,
    errorCode,
    errorMessage: loggedError(call),
  };
  services.metrics.end(record);
  services.recent.end(call, record);
  services.log.add(record);
  const end = call.observation === undefined ? call.sendEnd : () => endObserved(call, record);
  if (end !== undefined) services.log.afterWrite(end);
}

/** Sends the end of a response, then reports and stores the observed data, which include the end. */
function endObserved(call: Call, record: CallRecord): void {
  call.sendEnd?.();
  if (call.observation !== undefined) call.services.observer.end(call, call.observation, record);
}

/** Maximum length of a client's text in the log, in characters. */
const MAX_CLIENT_TEXT = 200;

/** Returns a client's text for the log: truncated, without the proxy's keys. */
function recordable(text: string | string[] | undefined, { keys }: Runtime): string | undefined {
  return text === undefined ? undefined : redactOwnKeys(text.toString(), keys).slice(0, MAX_CLIENT_TEXT);
}

/** Returns the trace id of a W3C trace context. https://www.w3.org/TR/trace-context/#traceparent-header */
function parseTraceId(traceparent: string | string[] | undefined): string | undefined {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent?.toString() ?? "")?.[1];
}

function getModelLabel(
  { upstream, upstreamModel, rule, runtime, services }: Call,
  isServed: boolean,
): string {
  if (upstream === undefined || upstreamModel === undefined) return "";
  const { config, catalog } = runtime;
  return services.modelLabels.getLabel({ upstream, model: upstreamModel, rule, isServed, config, catalog });
}

/** Returns the recorded error code, or the one that the status implies. */
function getErrorCode({ errorCode, status, errorMessage }: Call): string | undefined {
  if (errorCode !== undefined) return errorCode;
  if (status === CLIENT_CLOSED_REQUEST) return "client_gone";
  return status >= 400 || errorMessage !== undefined ? "upstream_error" : undefined;
}

const CLIENT_CLOSED_REQUEST = 499;

/**
 * Returns the error message for the log. Vendors repeat keys in their messages. The configuration's secrets are
 * redacted already; this redacts those that the client has sent, and anything with the format of a vendor's key.
 */
function loggedError({ errorMessage, request }: Call): string | undefined {
  if (errorMessage === undefined) return undefined;
  return redactKeyShapes(createRedactor(listSecrets(request))(errorMessage));
}

/** Replaces the status and the error code that were recorded when the call's connections were closed. */
function recordTimeout(call: Call): void {
  call.status = call.response.statusCode;
  call.errorCode = "upstream_timeout";
}

/** Records an error that was already sent to the client or cannot be sent. */
export function recordError(call: Call, error: AppError): void {
  call.errorCode = error.code;
  call.errorMessage = call.runtime.redact(error.message);
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

let second = Number.NaN;
let toSecond = "";

/**
 * Returns the current time in the format of `Date.prototype.toISOString`. That method takes 0.6 µs, so the date and the
 * time to the second are formatted once a second only (bench/proxy/builds.mjs).
 */
function formatNow(): string {
  const now = Date.now();
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    toSecond = new Date(current * 1000).toISOString().slice(0, -4);
  }
  return `${toSecond}${String(now - current * 1000).padStart(3, "0")}Z`;
}
