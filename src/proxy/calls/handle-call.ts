import { AppError } from "../../errors.ts";
import { peekForm } from "../body/multipart-model.ts";
import { readBody } from "../body/read-body.ts";
import { type ScannedBody, scanBody, withModel } from "../body/scan-body.ts";
import { answerEcho } from "../echo/answer-echo.ts";
import type { Places } from "../models/select.ts";
import type { ModelRoute } from "../routes.ts";
import type { Services } from "../services.ts";
import { withoutForeignThinking } from "../translate/foreign-thinking.ts";
import type { GoOn } from "../upstream/other-lane.ts";
import { takesTheSame } from "../upstream/tries.ts";
import { answerEstimate } from "../usage/answer-estimate.ts";
import { type AdmittedRequest, type Call, openCall, settle } from "./call.ts";
import { answerFault } from "./call-answers.ts";
import { chooseUpstream, goTo, isNative } from "./choose-upstream.ts";
import { type CalledOperation, calledOperation } from "./operation-path.ts";
import { relayNatively } from "./relay-natively.ts";
import { answerStored } from "./stored-responses.ts";
import { translate } from "./translate-lane.ts";

/**
 * Serves one call to a model, phase by phase: authenticate (at the door, `admission.ts`, like every request) → read →
 * route → send and relay (in the lane that fits) → settle.
 */
export async function handleCall(
  admitted: AdmittedRequest,
  route: ModelRoute,
  services: Services,
): Promise<void> {
  const call = openCall(admitted, route, services);
  try {
    const called = calledOperation(route, call.request.url ?? "", call.params);
    if (isForm(call)) await serveForm(call, called);
    else if (called.operation !== "stored-response" || !(await answerStored(call)))
      await routed(call, called, route.body === "ignored" ? undefined : await read(call));
  } catch (error) {
    answerFault(call, error);
  } finally {
    settle(call);
  }
}

/** Uploads go through as they come. */
function isForm({ route, request }: Call): boolean {
  return route.body === "streamed" && /^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "");
}

/** Chooses the upstream and sends. No promise of its own where the choice needs no waiting. */
function routed(call: Call, called: CalledOperation, body: Buffer | undefined): void | Promise<void> {
  if (body) hold(call, body);
  const scanned = body && look(body);
  call.stream = called.stream || scanned?.stream === true;
  const choice = chooseUpstream(call, called.operation, called.model ?? scanned?.model, body);
  return choice instanceof Promise
    ? choice.then((places) => send(call, called, places, body, scanned))
    : send(call, called, choice, body, scanned);
}

function send(
  call: Call,
  called: CalledOperation,
  places: Places,
  body: Buffer | undefined,
  scanned: ScannedBody | undefined,
): void | Promise<void> {
  const lane = laneOf(call, called);
  if (lane === "echo") return answerEcho(call, called, body);
  if (lane === "estimate") return answerEstimate(call, body);
  const goOn: GoOn = (left) => send(call, called, goTo(call, left), body, scanned);
  if (lane === "translated") return translate(call, called, places, body ?? Buffer.alloc(0), goOn);
  const renamed = body && scanned && nativeBody(call, body, scanned, places[0].model);
  return relayNatively(call, called, places, renamed ?? null, goOn);
}

/** Uploads: read until the model is known, the rest goes through as it comes. */
async function serveForm(call: Call, called: CalledOperation): Promise<void> {
  const { limits } = call.runtime.config;
  const form = await peekForm(call.request, limits.body, (bytes) => holdMore(call, bytes));
  const places = await chooseUpstream(call, called.operation, form.model, undefined);
  const [{ model }] = places;
  const lane = laneOf(call, called);
  const renamed = form.model !== undefined && form.model !== model ? model : undefined;
  const { stream, length } = form.body(lane === "native" ? renamed : undefined);
  if (lane === "native") {
    await relayNatively(call, called, places, { stream, length }, noMore);
  } else {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      holdMore(call, chunk.length);
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    hold(call, body);
    if (lane === "echo") answerEcho(call, called, body);
    else await translate(call, called, likeFirst(places), body, noMore);
  }
}

/** Uploads are not made into another form once they have been sent in one. */
function likeFirst([first, ...others]: Places): Places {
  return [first, ...others.filter((other) => takesTheSame(other, first))];
}

function noMore(): never {
  throw new AppError("internal", "an upload was to be sent in another form");
}

/** The body whole, within the limits of one call and of all together. */
function read(call: Call): Promise<Buffer> {
  const { limits } = call.runtime.config;
  const { held } = call.services;
  const type = call.request.headers["content-type"];
  if (type !== undefined && type !== "application/json" && !/^[\w.+-]+\/(?:[\w.+-]*\+)?json\b/i.test(type))
    throw new AppError("media_type", "The body must be JSON (content-type: application/json)");
  const announced = Math.min(Number(call.request.headers["content-length"] ?? 0), limits.body);
  if (held.bytes + announced > limits.inFlight) throw overfull();
  call.heldBytes = announced;
  held.bytes += announced;
  return readBody(call.request, limits.body);
}

/** Counts a piece of an upload that has to be kept. Throws `overloaded`. */
function holdMore(call: Call, bytes: number): void {
  const { held } = call.services;
  held.bytes += bytes;
  call.heldBytes += bytes;
  if (held.bytes > call.runtime.config.limits.inFlight) throw overfull();
}

function overfull(): AppError {
  return new AppError(
    "overloaded",
    "The proxy holds as many request bodies as it may; try again in a moment",
  );
}

/** Counts what has come in place of what was announced. */
function hold(call: Call, body: Buffer): void {
  call.services.held.bytes += body.length - call.heldBytes;
  call.heldBytes = body.length;
}

/** Only as much of the body as routing needs is looked at. */
function look(body: Buffer): ScannedBody {
  const scanned = scanBody(body);
  if (!scanned) throw new AppError("validation", "The body is not a JSON object");
  return scanned;
}

type Lane = "native" | "echo" | "estimate" | "translated";

/** Upstreams that speak the client's dialect get its bytes, others a translation; who cannot count is spared the question. */
function laneOf(call: Call, called: CalledOperation): Lane {
  const dialect = call.upstream?.dialect ?? "any";
  if (dialect === "any") return "echo";
  if (isNative(dialect, call.dialect, called.operation)) return "native";
  // Upstreams of the chat-completions dialect count nothing themselves.
  const counts = called.operation !== "count-tokens" || dialect !== "chat-completions";
  return counts ? "translated" : "estimate";
}

/** The client's own bytes, but for a model's name that a rule changes and thinking that another vendor did. */
function nativeBody(call: Call, body: Buffer, scanned: ScannedBody, model: string): Buffer {
  const own = withoutForeignThinking(call.dialect, body);
  return renamedBody(own, own === body ? scanned : look(own), model);
}

function renamedBody(body: Buffer, scanned: ScannedBody, model: string): Buffer {
  return scanned.model === undefined || scanned.model === model
    ? body
    : withModel(body, scanned.modelRanges, model);
}
