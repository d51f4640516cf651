import { turnIfLarge } from "../../json/bounds.ts";
import { isClientDisconnect, toExchangeError } from "../dialect-errors.ts";
import { loadCodec } from "../dialects/codecs.ts";
import { getProfile } from "../dialects/index.ts";
import type { DialectProfile } from "../exchange/dialect-profile.ts";
import { isObject, stringifyJson } from "../exchange/json.ts";
import type { Converted } from "../exchange/loss.ts";
import type { ExchangeRequest, Turn } from "../exchange/request.ts";
import { capabilitiesFor } from "../models/capabilities-for.ts";
import { refuseCompaction } from "./conversations/compaction.ts";
import { isKept, namesEarlierTurns, withEarlierTurns } from "./conversations/earlier-turns.ts";
import { convertInTurns, decodeInTurns } from "./convert-in-turns.ts";
import { LARGE_JSON, stringifyLargeJson } from "./large-json.ts";
import { prepareRequest } from "./request/prepare-request.ts";
import { readRequestJson } from "./request/read-json.ts";
import { requestOfCall } from "./request/separate-candidates.ts";
import { readErrorBody } from "./response/read-response.ts";
import { sendStream } from "./response/send-stream.ts";
import { sendWhole } from "./response/send-whole.ts";
import { refusal, refuseLosses, refuseSafeguards } from "./strict-translation.ts";
import type { TranslatedCall, TranslationOutcome, UpstreamResponse } from "./translate-call.ts";
import { decodeUpstreamError, respondWithError, Translation, type TranslationPlan } from "./translation.ts";

/** Approximate characters per token, for an estimate that is used until the upstream reports its count. */
const charactersPerToken = 4;

/**
 * Serves a generate call: reads and decodes the request, restores earlier turns, prepares and encodes the upstream
 * request, sends it and relays the response. Sends errors in the client's dialect. Rejects only before the response has
 * started: for an internal error, or if the client disconnects before the request is prepared.
 */
export async function serveGenerate(call: TranslatedCall): Promise<TranslationOutcome> {
  const [client, upstreamCodec] = await Promise.all([
    loadCodec(call.client.dialect),
    loadCodec(call.target.dialect),
  ]);
  let translation: Translation | undefined;
  try {
    const { model, stream } = call.client;
    const size = call.body.length;
    const body = await readRequestJson(call.body);
    await turnIfLarge(size);
    const decoded = await decodeInTurns(client, { body, values: call.values }, { model, stream });
    await turnIfLarge(size);
    refuseCompaction(decoded.value.turns, call.target.dialect);
    refuseSafeguards(decoded.value, call.target.dialect);
    const request = namesEarlierTurns(decoded.value)
      ? await withEarlierTurns(decoded.value, call.conversations)
      : decoded.value;
    const { client: side, target, memory } = call;
    const whole = (await memory?.restore(request, side.dialect, target.dialect)) ?? request;
    translation = await prepare(call, { client, upstream: upstreamCodec }, decoded, whole);
    await turnIfLarge(size);
    const upstreams = await send(translation);
    if (upstreams === undefined) return translation.outcome();
    const refused = upstreams.find(({ status }) => status >= 400);
    if (refused !== undefined) await sendUpstreamError(translation, refused);
    else if (call.client.stream) await sendStream(translation, upstreams);
    else await sendWhole(translation, upstreams);
  } catch (error) {
    if (isClientDisconnect(error) && translation !== undefined)
      return { ...translation.outcome(), clientDisconnected: true };
    if (isClientDisconnect(error)) throw error;
    const exchangeError = toExchangeError(error);
    if (exchangeError.kind === "internal" && !call.writer.started) throw error;
    if (call.writer.started) call.writer.destroy();
    else respondWithError(call, exchangeError, translation?.lossHeaders());
    translation?.fail(exchangeError);
    if (translation === undefined) return { losses: [], error: exchangeError };
  }
  return translation.outcome();
}

/** Prepares a decoded request for its upstream. `request` is the decoded request with its earlier turns. */
async function prepare(
  call: TranslatedCall,
  codecs: Pick<TranslationPlan, "client" | "upstream">,
  decoded: Converted<ExchangeRequest>,
  request: ExchangeRequest,
): Promise<Translation> {
  const { dialect, model, capabilities: overrides } = call.target;
  const capabilities = capabilitiesFor(dialect, model, overrides, call.target);
  const willBeKept = isKept(call.client.dialect, request, call.conversations);
  // The vendor does not have to store a conversation that the proxy stores.
  const { store: _, ...unstored } = request;
  const asked = willBeKept ? unstored : request;
  const prepared = await convertInTurns(asked, prepareRequest(asked, call.target, capabilities));
  const context = {
    model: call.client.model,
    request: decoded.value,
    now: Date.now(),
    fallbackId: call.requestId.replace(/^req_/, "").replace(/\W/g, ""),
    inputEstimate: Math.ceil(call.body.length / charactersPerToken),
    array: call.client.array,
    endsWithDone: call.endsWithDone,
  };
  const translation = new Translation({
    call,
    ...codecs,
    request,
    prepared,
    context,
    capabilities,
    isKept: willBeKept,
    isRemembered: request.tools.length > 0 && call.memory?.isNeeded(call.client.dialect, dialect) === true,
  });
  translation.lose(decoded.losses);
  translation.lose(prepared.losses);
  return translation;
}

/**
 * Sends the request, or one request for each candidate that the upstream generates separately. Resolves with undefined
 * if the call continues at another target.
 */
async function send(translation: Translation): Promise<readonly UpstreamResponse[] | undefined> {
  const { call, upstream, prepared, capabilities } = translation.plan;
  const encode = (request: ExchangeRequest) =>
    convertInTurns(request, upstream.encodeRequestInSteps(request, capabilities));
  const { value, losses } = await encode(prepared.request);
  translation.lose(losses);
  const lost = translation.lossDetails();
  refuseLosses(call, lost);
  if (isEmptyRequest(value.body, getProfile(call.target.dialect), translation.plan.request.turns))
    throw refusal("The upstream supports no part of the conversation.", lost);
  const headers = value.headers === undefined ? {} : { headers: value.headers };
  await turnIfLarge(call.body.length);
  const isLarge = call.body.length > LARGE_JSON;
  const toText = (json: unknown) => (isLarge ? stringifyLargeJson(json) : stringifyJson(json));
  const body = await toText(value.body);
  await turnIfLarge(body.length);
  const bodies = [body];
  for (let index = 1; index < prepared.calls; index += 1) {
    const own = requestOfCall(prepared.request, index);
    bodies.push(own === prepared.request ? body : await toText((await encode(own)).value.body));
    await turnIfLarge(body.length);
  }
  return call.sendAll(bodies.map((text) => ({ method: "POST", path: value.path, body: text, ...headers })));
}

/**
 * Returns whether all turns of the client were lost, so that only instructions or no messages are left. A vendor would
 * reject an empty list that the client has not sent, or respond to the instructions alone.
 */
function isEmptyRequest(body: unknown, { turnsMember }: DialectProfile, turns: readonly Turn[]): boolean {
  const sent = isObject(body) && turnsMember !== undefined ? body[turnsMember] : undefined;
  if (!Array.isArray(sent) || turns.length === 0) return false;
  return sent.length === 0 || (sent.every(isInstruction) && turns.some(({ role }) => role !== "system"));
}

function isInstruction(message: unknown): boolean {
  return isObject(message) && (message["role"] === "system" || message["role"] === "developer");
}

async function sendUpstreamError(translation: Translation, response: UpstreamResponse): Promise<void> {
  const body = await readErrorBody(response.body);
  translation.respondWithError(decodeUpstreamError(translation.plan.upstream, response, body));
}
