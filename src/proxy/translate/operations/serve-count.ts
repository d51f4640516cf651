import { AppError } from "../../../errors.ts";
import { codecs } from "../../codecs.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import { capabilitiesFor } from "../../models/capabilities-for.ts";
import { countAnswer } from "../../usage/count-answer.ts";
import { estimateTokens } from "../../usage/estimate-tokens.ts";
import { isClientGone } from "../faults.ts";
import { prepareRequest } from "../request/prepare-request.ts";
import { readRequestJson } from "../request/read-json.ts";
import type { TranslatedCall, TranslationOutcome, TranslationTarget } from "../translate-call.ts";
import { type Aside, serveAside } from "./aside.ts";

/**
 * Counts the tokens of a request in another dialect than its upstream's: the upstream is asked where it can count, and
 * where it cannot or will not, the answer is an estimate and marked as one.
 */
export function serveCount(call: TranslatedCall): Promise<TranslationOutcome> {
  return serveAside(call, async (aside) => {
    const body = await readRequestJson(call.body);
    const counted = await askUpstream(aside, decode(call, body));
    const tokens = counted ?? estimateTokens(body, isGoogle(call) ? "tiles" : "pixels");
    const answer = countAnswer(call.client.dialect, tokens);
    const estimated = counted === undefined ? { "x-sallyport-estimated": "true" } : {};
    const headers = { "content-type": "application/json", ...estimated };
    call.reply.answer(200, headers, JSON.stringify(answer));
  });
}

function isGoogle(call: TranslatedCall): boolean {
  return call.client.dialect === "generative-language";
}

function decode(call: TranslatedCall, body: unknown): ExchangeRequest {
  const { dialect, model } = call.client;
  const wrapped = isObject(body)
    ? (body["generateContentRequest"] ?? body["generate_content_request"])
    : undefined;
  return codecs[dialect].decodeRequest(wrapped ?? body, { model }).value;
}

/** The upstream's own count; undefined where it has none, or refuses the question. */
async function askUpstream(aside: Aside, request: ExchangeRequest): Promise<number | undefined> {
  const { target } = aside.call;
  try {
    const question = countingCall(target, writeRequest(target, request));
    return question === undefined ? undefined : readCount(await aside.ask(question.path, question.body));
  } catch (error) {
    const isRefused = error instanceof DialectError || error instanceof AppError;
    if (!isRefused || isClientGone(error)) throw error;
    return undefined;
  }
}

/** What the upstream would be sent if this were a call to generate. */
function writeRequest(target: TranslationTarget, asked: ExchangeRequest): Readonly<Record<string, unknown>> {
  const capabilities = capabilitiesFor(target.dialect, target.model, target.capabilities);
  const { request } = prepareRequest(asked, target, capabilities);
  const { body } = codecs[target.dialect].encodeRequest(request, capabilities).value;
  return isObject(body) ? body : {};
}

/** Members of a messages request that its counting method takes. */
const counted = ["model", "messages", "system", "tools", "tool_choice", "thinking"] as const;

function countingCall(
  target: TranslationTarget,
  body: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly body: unknown } | undefined {
  const { dialect, model } = target;
  if (dialect === "generative-language") {
    const path = `/models/${encodeURIComponent(model)}:countTokens`;
    return { path, body: { generateContentRequest: { model: `models/${model}`, ...body } } };
  }
  if (dialect === "messages") {
    const members = counted.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]));
    return { path: "/messages/count_tokens", body: Object.fromEntries(members) };
  }
  if (dialect !== "responses") return undefined;
  const { store: _, include: __, stream: ___, max_output_tokens: ____, ...members } = body;
  return { path: "/responses/input_tokens", body: members };
}

function readCount(answer: unknown): number | undefined {
  if (!isObject(answer)) return undefined;
  const count = answer["input_tokens"] ?? answer["totalTokens"];
  return typeof count === "number" && count >= 0 ? count : undefined;
}
