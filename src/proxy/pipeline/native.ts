import { AppError } from "../../errors.ts";
import { decodeBody } from "../body/content-coding.ts";
import type { SentUpload } from "../body/upload.ts";
import { encodeFaultEvent, faultOf } from "../dialect-errors.ts";
import { findProfile, getProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { Usage } from "../exchange/response.ts";
import { nextTry, placesFrom, planTries, type Try } from "../routing/attempts.ts";
import { withPause } from "../routing/pause-in-body.ts";
import type { Places } from "../routing/select-targets.ts";
import { type RelayedRequest, relayTo } from "../upstream/clients.ts";
import type {
  PackedBody,
  RelayedDialect,
  RelayOutcome,
  RelayTask,
  ResponseError,
} from "../upstream/relay-task.ts";
import { viaHeader } from "../upstream/request-headers.ts";
import { refusesUsage, UsageChunkFilter, withUsageAsked } from "../usage/ask-usage.ts";
import { priceOf } from "../usage/cost.ts";
import { errorInAnswer } from "../usage/error-event.ts";
import { estimatedUsage, partialUsage } from "../usage/estimate-usage.ts";
import { usageOfAnswer } from "../usage/read-usage.ts";
import { StreamWatch } from "../usage/stream-watch.ts";
import { answerEstimate } from "./answer-token-estimate.ts";
import { type AttemptOutcome, beginAttempt, endAttempt } from "./attempt-record.ts";
import { type Call, noteFault, ownHeaders, tryNeedsOf } from "./call.ts";
import { answerFault, answerRefusal } from "./client-response.ts";
import { isNative } from "./choose-targets.ts";
import type { CalledOperation } from "./operation-path.ts";
import type { GoOn } from "./other-lane.ts";

/** An upload that may be sent more than once. */
export interface RepeatableUpload {
  readonly isRepeatable: boolean;
  /** It from its beginning. */
  readonly send: () => SentUpload;
}

/** A whole body, or an upload on its way. */
export type RelayedBody = Buffer | RepeatableUpload | null;

/**
 * The native lane: the client's bytes to the first place, of its own dialect, and the answer's bytes back. Tries again,
 * at the same or the next place, only as long as the client has been sent nothing; `goOn` takes over where the next one
 * speaks another dialect or has another name for the model, which is in the bytes.
 */
export async function relayNatively(
  call: Call,
  called: CalledOperation,
  places: Places,
  body: RelayedBody,
  goOn: GoOn,
): Promise<void> {
  const [{ model }] = places;
  const path = `${called.path(model)}${called.query}`;
  const needs = tryNeedsOf(call);
  let tries: Try = planTries(places, needs);
  for (;;) {
    call.upstream = tries.upstream;
    const asked =
      Buffer.isBuffer(body) && asksUsage(call, called, tries)
        ? withUsageAsked(body, tries.upstream)
        : undefined;
    const attempt = beginAttempt(call, tries);
    const request = requestOf(call, path, asked ?? body, tries.key);
    const task = taskOf(call, called, asked !== undefined);
    const relayed = await relayTo(call.services.pools, tries.upstream, request, task);
    const outcome = relayed.kind === "refused" ? await withPause(relayed) : relayed;
    endAttempt(attempt, outcomeOf(outcome));
    if (outcome.firstByteAt > 0) call.firstByteAt = outcome.firstByteAt;
    // The client has not asked for it: what it did ask is sent again without.
    if (asked && outcome.kind === "refused" && refusesUsage(tries.upstream, outcome.status, outcome.body))
      continue;
    needs.rests.learn(tries, outcome);
    const next = isRepeatable(body) ? nextTry(tries, outcome) : undefined;
    if (!next) return conclude(call, called, outcome, body);
    if (!(await waited(call, next.delayMs)))
      return conclude(call, called, { kind: "gone", firstByteAt: 0, watch: undefined }, body);
    // More of an upload may have come meanwhile than there was room for.
    if (!isRepeatable(body)) return conclude(call, called, outcome, body);
    call.retries += 1;
    const isAlike = next.model === model && isNative(next.upstream.dialect, call.dialect, called.operation);
    if (!isAlike) return goOn(placesFrom(next));
    tries = next;
  }
}

/**
 * Whether usage is asked for in the client's place: of a chat stream that has a price. Other bodies stay as they are,
 * to the byte.
 */
function asksUsage(call: Call, { operation }: CalledOperation, { upstream, model }: Try): boolean {
  if (!call.stream || operation !== "generate") return false;
  if (!findProfile(upstream.dialect)?.upstream?.reportsUsageOnRequest) return false;
  return priceOf(upstream, model) !== undefined;
}

function outcomeOf(outcome: RelayOutcome): AttemptOutcome {
  switch (outcome.kind) {
    case "answered":
      return { status: outcome.error?.status ?? outcome.status };
    case "failed":
    case "broken":
      return { fault: outcome.fault };
    case "refused":
      return { status: outcome.status };
    case "gone":
      return {};
  }
}

function isRepeatable(body: RelayedBody): boolean {
  return body === null || Buffer.isBuffer(body) || body.isRepeatable;
}

function requestOf(call: Call, path: string, body: RelayedBody, key: string | undefined): RelayedRequest {
  const { method = "", headers, rawHeaders } = call.request;
  const whole = body === null || Buffer.isBuffer(body);
  const sent = whole ? { stream: body, length: undefined } : body.send();
  return {
    method,
    path,
    rawHeaders,
    body: sent.stream,
    needs: {
      key,
      isShared: call.runtime.isShared,
      clientKey: call.upstream?.credentials === "client" ? keyInQuery(call) : undefined,
      via: viaHeader(headers, call.services.via),
      // A compressed stream could neither be watched nor kept alive.
      acceptEncoding: call.stream ? undefined : headers["accept-encoding"]?.toString(),
      contentLength: sent.length,
      contentCoding: whole ? undefined : headers["content-encoding"],
      keys: call.runtime.keys,
    },
  };
}

/** What generative-language clients may send as `?key=`, unless a header carries it or it is the proxy's. */
function keyInQuery({ dialect, request, runtime }: Call): string | undefined {
  const { url = "", headers } = request;
  const { client, upstream } = getProfile(dialect);
  if (!client.acceptsKeyInQuery || headers[upstream?.keyHeader.name ?? ""] !== undefined) return undefined;
  const key = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("key");
  return key && runtime.keys.find([key]) === undefined ? key : undefined;
}

const ANSWERED_IN_JSON = new Set<CalledOperation["operation"]>(["generate", "count-tokens", "compact"]);

function taskOf(call: Call, called: CalledOperation, dropsUsage: boolean): RelayTask {
  const { operation } = called;
  return {
    requestId: call.id,
    upstream: call.upstream?.name ?? "",
    response: call.response,
    kind: ANSWERED_IN_JSON.has(operation) ? "model" : "media",
    mayBeEmpty: operation === "stored-response",
    isLive: called.array,
    createFilter: dropsUsage ? createUsageFilter : undefined,
    ownHeaders: ownHeaders(call),
    redact: call.runtime.redact,
    dialect: relayedDialect(call.dialect),
    streams: call.services.streams,
  };
}

const createUsageFilter = () => new UsageChunkFilter();

const relayedDialects = new Map<Dialect, RelayedDialect>();

function relayedDialect(dialect: Dialect): RelayedDialect {
  const known = relayedDialects.get(dialect);
  if (known) return known;
  const { client, response } = getProfile(dialect);
  const relayed: RelayedDialect = {
    createWatch: () => new StreamWatch(response),
    usageOf: (body) => usageOfAnswer(response, body),
    errorOf: (body) => errorInAnswer(response, body),
    faultEvent: (fault, requestId) => encodeFaultEvent(dialect, faultOf(fault), requestId),
    ping: client.keepAlive,
  };
  relayedDialects.set(dialect, relayed);
  return relayed;
}

function conclude(
  call: Call,
  called: CalledOperation,
  outcome: RelayOutcome,
  body: RelayedBody,
): void | Promise<void> {
  switch (outcome.kind) {
    case "answered":
      call.status = outcome.status;
      call.usage = outcome.usage;
      if (outcome.error) noteFault(call, answeredError(call, outcome.error));
      if (outcome.usage === undefined && outcome.watch !== undefined && called.operation === "generate")
        call.usage = guessedUsage(outcome, body);
      return outcome.packed && unpackUsage(call, outcome.packed);
    case "broken":
      call.status = outcome.status;
      if (called.operation === "generate") call.usage = guessedUsage(outcome, body);
      noteFault(call, outcome.fault);
      return;
    case "gone":
      call.status = 499;
      call.fault = "the client left";
      if (called.operation === "generate") call.usage = guessedUsage(outcome, body);
      return;
    case "failed":
      answerFault(call, outcome.fault);
      return;
    case "refused":
      if (called.operation === "count-tokens" && cannotCount(outcome, call.model))
        answerEstimate(call, Buffer.isBuffer(body) ? body : undefined);
      else return answerRefusal(call, outcome.status, outcome.headers, outcome.body);
  }
}

/** What is booked where the vendor has not told all of it; nothing where nothing of an answer came. */
function guessedUsage(
  outcome: Extract<RelayOutcome, { kind: "answered" | "broken" | "gone" }>,
  body: RelayedBody,
): Usage | undefined {
  const { watch } = outcome;
  if (watch === undefined) return undefined;
  const whole = Buffer.isBuffer(body) ? body : undefined;
  if (outcome.kind === "answered" && !outcome.error) return estimatedUsage(whole, watch.sample);
  return partialUsage(watch.usage(), whole, watch.sample);
}

/** What an upstream's own words of an error may be at most. */
const MAX_MESSAGE = 300;

function answeredError({ upstream }: Call, { message }: ResponseError): AppError {
  const said = message === undefined ? "" : `: ${message.slice(0, MAX_MESSAGE)}`;
  return new AppError(
    "upstream_error",
    `The upstream ${upstream?.name} ended its answer with an error${said}`,
  );
}

/**
 * Returns whether an upstream has no way to count. A 404 that names the model is an answer: there is no such model, which
 * no estimate may hide.
 */
function cannotCount(
  { status, body }: Extract<RelayOutcome, { kind: "refused" }>,
  model: string | undefined,
): boolean {
  if (status !== 404) return status === 405 || status === 501;
  return model === undefined || !body.includes(model);
}

const UNPACKED = 16 * 1024 * 1024;

/** Reads usage off a copy: the client has its answer already, in the coding that it and its vendor agreed on. */
async function unpackUsage(call: Call, { bytes, coding }: PackedBody): Promise<void> {
  try {
    const plain = await decodeBody(bytes, coding, UNPACKED);
    call.usage = usageOfAnswer(getProfile(call.dialect).response, plain);
  } catch {
    // In another coding than it says, or a bomb: the client will see that for itself.
  }
}

/** Waits before another try; false where the client leaves meanwhile. */
function waited(call: Call, delayMs: number): Promise<boolean> {
  const { response } = call;
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onClose = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      response.off("close", onClose);
      resolve(true);
    }, delayMs);
    response.once("close", onClose);
  });
}
