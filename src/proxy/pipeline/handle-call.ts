import { AppError } from "../../errors.ts";
import { readBody } from "../body/read-body.ts";
import { type ScannedBody, scanBody, withModel } from "../body/scan-body.ts";
import { beginUpload, type KeptFor, type Upload } from "../body/upload.ts";
import { getProfile, getUpstreamProfile } from "../dialects/index.ts";
import type { Dialect } from "../exchange/parts.ts";
import type { ModelRoute } from "../routes.ts";
import type { Places } from "../routing/select-targets.ts";
import type { Services } from "../services.ts";
import { withoutForeignThinking } from "../translate/request/foreign-thinking.ts";
import { answerEcho } from "./echo.ts";
import { answerEstimate } from "./answer-token-estimate.ts";
import { findBodyExcess, refuseExcess } from "./body-bounds.ts";
import { type AdmittedRequest, type Call, openCall, settle } from "./call.ts";
import { answerFault } from "./client-response.ts";
import { chooseUpstream, goTo, isNative } from "./choose-targets.ts";
import { type CalledOperation, calledOperation } from "./operation-path.ts";
import type { GoOn } from "./other-lane.ts";
import { type RepeatableUpload, relayNatively } from "./native.ts";
import { answerStored } from "./stored-responses.ts";
import { translate } from "./translated.ts";

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
  const scanned = body && look(body);
  return scanned instanceof Promise
    ? scanned.then((late) => route(call, called, body, late))
    : route(call, called, body, scanned);
}

function route(
  call: Call,
  called: CalledOperation,
  body: Buffer | undefined,
  scanned: ScannedBody | undefined,
): void | Promise<void> {
  call.stream = called.stream || scanned?.stream === true;
  call.excess = scanned && findBodyExcess(scanned);
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
  if (lane !== "native") refuseExcess(call);
  if (lane === "echo") return answerEcho(call, called, body);
  if (lane === "estimate") return answerEstimate(call, body);
  const goOn: GoOn = (left) => send(call, called, goTo(call, left), body, scanned);
  if (lane === "translated") return translate(call, called, places, body ?? Buffer.alloc(0), goOn);
  const renamed = body && scanned && nativeBody(call, body, scanned, places[0].model);
  return renamed instanceof Promise
    ? renamed.then((late) => relayNatively(call, called, places, late, goOn))
    : relayNatively(call, called, places, renamed ?? null, goOn);
}

/** Uploads: read until the model is known, the rest goes through as it comes. */
async function serveForm(call: Call, called: CalledOperation): Promise<void> {
  const { limits } = call.runtime.config;
  const upload = await beginUpload(call.request, {
    limit: limits.body,
    hold: (bytes, why) => holdMore(call, bytes, why),
  });
  await sendUpload(
    call,
    called,
    await chooseUpstream(call, called.operation, upload.model, undefined),
    upload,
  );
}

async function sendUpload(
  call: Call,
  called: CalledOperation,
  places: Places,
  upload: Upload,
): Promise<void> {
  const [{ upstream, model }] = places;
  const goOn: GoOn = (left) => sendUpload(call, called, goTo(call, left), upload);
  const lane = laneOf(call, called);
  if (lane === "native") {
    const renamed = upload.model === model ? undefined : model;
    const isKept = places.length > 1 || upstream.keys.length > 1;
    const body: RepeatableUpload = {
      get isRepeatable() {
        return upload.isRepeatable;
      },
      send: () => upload.send(renamed, isKept),
    };
    return relayNatively(call, called, places, body, goOn);
  }
  const body = await upload.whole();
  if (lane === "echo") await answerEcho(call, called, body);
  else await translate(call, called, places, body, goOn);
}

/** The body whole, within the limits of one call and of all together. */
function read(call: Call): Promise<Buffer> {
  const { limits } = call.runtime.config;
  const type = call.request.headers["content-type"];
  if (type !== undefined && type !== "application/json" && !/^[\w.+-]+\/(?:[\w.+-]*\+)?json\b/i.test(type))
    throw new AppError("media_type", "The body must be JSON (content-type: application/json)");
  return readBody(call.request, limits.body, { share: call.share, most: limits.inFlight });
}

/**
 * Counts a piece of an upload that is kept; false, and it is not counted, where there is no room for it. For another try,
 * which may never be made, there is half of the room: other calls need the rest.
 */
function holdMore(call: Call, bytes: number, why: KeptFor): boolean {
  const { inFlight } = call.runtime.config.limits;
  return call.share.take(bytes, why === "use" ? inFlight : inFlight / 2);
}

/** Only as much of the body as routing needs is looked at. */
function look(body: Buffer): ScannedBody | Promise<ScannedBody> {
  const scanned = scanBody(body);
  return scanned instanceof Promise ? scanned.then(objectOnly) : objectOnly(scanned);
}

function objectOnly(scanned: ScannedBody | undefined): ScannedBody {
  if (!scanned) throw new AppError("validation", "The body is not a JSON object");
  return scanned;
}

type Lane = "native" | "echo" | "estimate" | "translated";

/** Upstreams that speak the client's dialect get its bytes, others a translation; who cannot count is spared the question. */
function laneOf(call: Call, called: CalledOperation): Lane {
  const dialect = call.upstream?.dialect ?? "any";
  if (dialect === "any") return "echo";
  if (isNative(dialect, call.dialect, called.operation)) return "native";
  const canCount = getUpstreamProfile(dialect).createCountCall !== undefined;
  return called.operation !== "count-tokens" || canCount ? "translated" : "estimate";
}

/** The client's own bytes, but for a model's name that a rule changes and thinking that another vendor did. */
function nativeBody(call: Call, body: Buffer, scanned: ScannedBody, model: string): Buffer | Promise<Buffer> {
  // Thinking can only be taken out of what may be parsed; the vendor refuses what is left in.
  const own = call.excess ? body : withoutForeignThinking(call.dialect, body);
  if (own === body) return renamedBody(own, scanned, model, call.dialect);
  const again = look(own);
  return again instanceof Promise
    ? again.then((late) => renamedBody(own, late, model, call.dialect))
    : renamedBody(own, again, model, call.dialect);
}

/** Returns the body with the model's name at the upstream; Google's clients may write it with a prefix. */
function renamedBody(body: Buffer, scanned: ScannedBody, model: string, dialect: Dialect): Buffer {
  if (scanned.model === undefined || scanned.model === model) return body;
  const { modelPrefix = "" } = getProfile(dialect).client;
  const name = scanned.model.startsWith(modelPrefix) ? `${modelPrefix}${model}` : model;
  return scanned.model === name ? body : withModel(body, scanned.modelRanges, name);
}
