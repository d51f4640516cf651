import { AppError } from "../../../errors.ts";
import { isClientDisconnect } from "../../dialect-errors.ts";
import { loadCodec } from "../../dialects/codecs.ts";
import { getProfile, getUpstreamProfile } from "../../dialects/index.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import { capabilitiesFor } from "../../models/capabilities-for.ts";
import { estimateTokens } from "../../usage/estimate-tokens.ts";
import { convertInTurns, decodeInTurns } from "../convert-in-turns.ts";
import { prepareRequest } from "../request/prepare-request.ts";
import { readRequestJson } from "../request/read-json.ts";
import type { TranslatedCall, TranslationOutcome, TranslationTarget } from "../translate-call.ts";
import { type OperationContext, serveOperation } from "./operation-context.ts";

/**
 * Counts the tokens of a request whose client and upstream use different dialects or API versions. Requests the count
 * from the upstream or, if the upstream cannot count, responds with an estimate and `x-sallyport-estimated`.
 */
export function serveCount(call: TranslatedCall): Promise<TranslationOutcome> {
  return serveOperation(call, async (context) => {
    const body = await readRequestJson(call.body);
    const counted = await askUpstream(context, await decode(call, body));
    if (counted === "elsewhere") return;
    const { client } = getProfile(call.client.dialect);
    const tokens = counted ?? estimateTokens(body, client.imageTokens);
    const response = client.encodeTokenCount(tokens);
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (counted === undefined) headers["x-sallyport-estimated"] = "true";
    call.writer.respond(200, headers, JSON.stringify(response));
  });
}

async function decode(call: TranslatedCall, body: unknown): Promise<ExchangeRequest> {
  const { dialect, model } = call.client;
  const wrapped = isObject(body)
    ? (body["generateContentRequest"] ?? body["generate_content_request"])
    : undefined;
  const codec = await loadCodec(dialect);
  const { value } = await decodeInTurns(codec, { body: wrapped ?? body, values: call.values }, { model });
  return value;
}

/**
 * Returns the upstream's count; undefined if the upstream cannot count or the request fails; `elsewhere` if the call
 * continues at another target. Throws if the client disconnects, or if the model does not exist.
 */
async function askUpstream(
  context: OperationContext,
  request: ExchangeRequest,
): Promise<number | "elsewhere" | undefined> {
  const { target } = context.call;
  try {
    const { createCountCall } = getUpstreamProfile(target.dialect);
    if (createCountCall === undefined) return undefined;
    const { path, body } = createCountCall(target.model, await writeRequest(target, request));
    const response = await context.ask(path, body);
    return response === undefined ? "elsewhere" : readCount(response);
  } catch (error) {
    const isRefused = error instanceof DialectError || error instanceof AppError;
    if (!isRefused || isClientDisconnect(error) || isUnknownModel(error, target.model)) throw error;
    return undefined;
  }
}

/** Returns whether an error means that the model does not exist. An estimate must not hide such an error. */
function isUnknownModel(error: DialectError | AppError, model: string): boolean {
  return error instanceof DialectError && error.error.status === 404 && error.message.includes(model);
}

/** Returns the request that a generate call would send to the upstream. */
async function writeRequest(
  target: TranslationTarget,
  asked: ExchangeRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const capabilities = capabilitiesFor(target.dialect, target.model, target.capabilities, target);
  const { request } = await convertInTurns(asked, prepareRequest(asked, target, capabilities));
  const codec = await loadCodec(target.dialect);
  const { value } = await convertInTurns(request, codec.encodeRequestInSteps(request, capabilities));
  return isObject(value.body) ? value.body : {};
}

function readCount(response: unknown): number | undefined {
  if (!isObject(response)) return undefined;
  const count = response["input_tokens"] ?? response["totalTokens"];
  return typeof count === "number" && count >= 0 ? count : undefined;
}
