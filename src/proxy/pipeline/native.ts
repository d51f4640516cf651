import { AppError } from "../../errors.ts";
import { decodeBody } from "../body/content-coding.ts";
import { encodeProxyErrorEvent, toProxyError } from "../dialect-errors.ts";
import { dialects, findProfile, getProfile } from "../dialects/index.ts";
import type { ResponseProfile } from "../exchange/dialect-profile.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import type { Attempt } from "../routing/attempts.ts";
import { isOverflow, withPauseInBody } from "../routing/retry-after.ts";
import type { Targets } from "../routing/select-targets.ts";
import { relayTo } from "../upstream/clients.ts";
import type {
  CompressedBody,
  RelayedDialect,
  RelayOutcome,
  RelayTask,
  ResponseError,
} from "../upstream/relay-task.ts";
import { refusesUsage, UsageChunkFilter, withUsageOption } from "../usage/ask-usage.ts";
import { findPrice } from "../usage/cost.ts";
import { readResponseError } from "../usage/error-event.ts";
import { estimatedUsage, failedUsage, partialUsage } from "../usage/estimate-usage.ts";
import { decodeEnd, readResponseUsage } from "../usage/read-usage.ts";
import { StreamWatch } from "../usage/stream-watch.ts";
import { type Resend, runAttempts } from "./attempt-loop.ts";
import { type Call, endWith, hidesVendorLimits, ownHeaders, recordError } from "./call.ts";
import type { CallBody } from "./call-body.ts";
import { respondWithError, respondWithTokenEstimate, respondWithUpstreamError } from "./client-response.ts";
import { DONE, isNative, type LaneResult } from "./lane.ts";
import type { CalledOperation } from "./operation-path.ts";
import { isRepeatable, type NativeBody, nativeBody, nativeRequest } from "./relay-request.ts";

/**
 * Serves a call in the native lane: sends the client's bytes to an upstream that accepts them, and relays the
 * response's bytes. Returns a fallback for targets of another dialect or API version, or with another name for the
 * model, because the bytes contain the name.
 */
export async function serveNatively(
  call: Call,
  called: CalledOperation,
  targets: Targets,
  callBody: CallBody,
): Promise<LaneResult> {
  const [{ model }] = targets;
  const sent = nativeBody(call, callBody, targets);
  const body = sent instanceof Promise ? await sent : sent;
  const path = `${called.path(model)}${called.query}`;
  const result = await runAttempts<RelayOutcome>(call, targets, {
    send: (attempt) => relayOnce(call, called, path, body, attempt),
    isRepeatable: () => isRepeatable(body),
    suits: ({ upstream, model: name }) => name === model && isNative(upstream, call, called.operation),
    signal: () => disconnectSignal(call),
  });
  if (result.kind === "fallback") return result;
  await conclude(call, called, result.kind === "done" ? result.outcome : DISCONNECTED, body);
  return DONE;
}

const DISCONNECTED: RelayOutcome = { kind: "disconnected", firstByteAt: 0, watch: undefined };

async function relayOnce(
  call: Call,
  called: CalledOperation,
  path: string,
  body: NativeBody,
  { upstream, model, key }: Attempt,
): Promise<RelayOutcome | Resend> {
  // Requests usage if the client has not and the model has a price. If an upstream rejects that option, the client's
  // own request is sent.
  const asksUsage =
    call.stream &&
    called.operation === "generate" &&
    findProfile(upstream.dialect)?.upstream?.reportsUsageOnRequest === true &&
    findPrice(upstream, model) !== undefined;
  const asking = asksUsage && Buffer.isBuffer(body) ? withUsageOption(body, upstream) : undefined;
  const request = nativeRequest(call, path, asking ?? body, key);
  const task = relayTask(call, called, asking !== undefined);
  const outcome = await relayTo(call.services.pools, upstream, request, task);
  if (outcome.firstByteAt > 0) call.firstByteAt = outcome.firstByteAt;
  if (outcome.kind !== "refused") return outcome;
  if (asking && refusesUsage(upstream, outcome.status, outcome.body))
    return { kind: "resend", status: outcome.status };
  if (call.on?.includes("context_window")) {
    const { status, body: text, headers } = outcome;
    const isTooLong = await isOverflow(status, text, headers["content-encoding"]);
    if (isTooLong) return { ...outcome, isOverflow: true };
  }
  return withPauseInBody(outcome);
}

function disconnectSignal({ response }: Call): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.once("close", () => controller.abort());
  return controller.signal;
}

const JSON_OPERATIONS = new Set<CalledOperation["operation"]>(["generate", "count-tokens", "compact"]);

function relayTask(call: Call, called: CalledOperation, dropsUsage: boolean): RelayTask {
  const { operation } = called;
  return {
    requestId: call.id,
    upstream: call.upstream?.name ?? "",
    response: call.response,
    kind: JSON_OPERATIONS.has(operation) ? "model" : "media",
    mayBeEmpty: operation === "stored-response",
    isLive: called.array,
    createFilter: dropsUsage ? createUsageFilter : undefined,
    ownHeaders: ownHeaders(call),
    hidesLimits: hidesVendorLimits(call),
    redact: call.runtime.redact,
    dialect: relayedDialects.get(call.dialect),
    streams: call.services.streams,
    endWith: (send) => endWith(call, send),
  };
}

const createUsageFilter = () => new UsageChunkFilter();

/** Returns the parts of a dialect that the relay uses, for responses of this form. */
export function toRelayedDialect(
  dialect: Dialect,
  response: ResponseProfile = getProfile(dialect).response,
): RelayedDialect {
  const { client } = getProfile(dialect);
  return {
    createWatch: () => new StreamWatch(response),
    readDetails: (body, mayBeError) => {
      const end = decodeEnd(body);
      return {
        usage: readResponseUsage(response, end),
        responseError: mayBeError ? readResponseError(response, body, end) : undefined,
      };
    },
    errorEvent: (error, requestId) => encodeProxyErrorEvent(dialect, toProxyError(error), requestId),
    ping: client.keepAlive,
  };
}

/** The parts of each dialect that the relay uses. */
export const relayedDialects: ReadonlyMap<Dialect, RelayedDialect> = new Map(
  dialects.map((dialect) => [dialect, toRelayedDialect(dialect)]),
);

/** Records the final outcome, and sends the client the error of a call that failed or was rejected. */
async function conclude(
  call: Call,
  called: CalledOperation,
  outcome: RelayOutcome,
  body: NativeBody,
): Promise<void> {
  const { operation } = called;
  switch (outcome.kind) {
    case "completed":
      call.status = outcome.status;
      call.usage = outcome.usage;
      if (outcome.responseError) recordError(call, toResponseError(call, outcome.responseError));
      if (outcome.usage === undefined && outcome.watch !== undefined && operation === "generate")
        call.usage = estimateUsage(outcome, body);
      if (outcome.compressed) await readCompressedUsage(call, outcome.compressed);
      return;
    case "broken":
      call.status = outcome.status;
      if (operation === "generate") call.usage = estimateUsage(outcome, body);
      recordError(call, outcome.error);
      return;
    case "disconnected":
      call.status = 499;
      call.errorMessage = "the client disconnected";
      if (operation === "generate") call.usage = estimateUsage(outcome, body);
      return;
    case "failed":
      respondWithError(call, outcome.error);
      return;
    case "refused":
      if (operation === "count-tokens" && cannotCount(outcome, call.model))
        respondWithTokenEstimate(call, Buffer.isBuffer(body) ? body : undefined);
      else await respondWithUpstreamError(call, outcome.status, outcome.headers, outcome.body);
  }
}

/** Returns an estimate of the usage that the vendor has not reported; undefined if the response was not inspected. */
function estimateUsage(
  outcome: Extract<RelayOutcome, { kind: "completed" | "broken" | "disconnected" }>,
  body: NativeBody,
): Usage | undefined {
  const { watch } = outcome;
  if (watch === undefined) return undefined;
  const whole = Buffer.isBuffer(body) ? body : undefined;
  if (outcome.kind !== "completed") return partialUsage(watch.usage(), whole, watch.sample);
  if (outcome.responseError) return failedUsage(watch.usage(), whole, watch.sample);
  return estimatedUsage(whole, watch.sample);
}

/** Maximum length of an upstream's error message in the record, in characters. */
const MAX_MESSAGE = 300;

function toResponseError({ upstream }: Call, { message }: ResponseError): AppError {
  const detail = message === undefined ? "" : `: ${message.slice(0, MAX_MESSAGE)}`;
  return new AppError(
    "upstream_error",
    `The upstream ${upstream?.name} ended its response with an error${detail}`,
  );
}

/**
 * Returns whether an upstream cannot count tokens. A 404 that names the model means that the model does not exist,
 * which an estimate must not hide.
 */
function cannotCount(
  { status, body }: Extract<RelayOutcome, { kind: "refused" }>,
  model: string | undefined,
): boolean {
  if (status !== 404) return status === 405 || status === 501;
  return model === undefined || !body.includes(model);
}

const MAX_DECODED = 16 * 1024 * 1024;

/** Records the usage of a compressed response, read from a copy of what the client was sent. */
async function readCompressedUsage(call: Call, { bytes, coding }: CompressedBody): Promise<void> {
  try {
    const plain = await decodeBody(bytes, coding, MAX_DECODED);
    call.usage = readResponseUsage(getProfile(call.dialect).response, decodeEnd(plain));
  } catch {
    // The coding is invalid, or the copy exceeds the limit (decompression bomb). The client has received the response
    // anyway.
  }
}
