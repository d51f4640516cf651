import { randomUUID } from "node:crypto";
import { defined } from "../../exchange/defined.ts";
import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Converted } from "../../exchange/loss.ts";
import { toMediaSource } from "../../exchange/media.ts";
import type { Citation, Part, TokenLogprob } from "../../exchange/parts.ts";
import type { Candidate, ExchangeResponse } from "../../exchange/response.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { createCallId } from "../../exchange/tool-call-id.ts";
import { decodeResponsePart } from "../shared/parse.ts";
import { parseAtOnce, parseInSteps } from "../shared/parse-in-steps.ts";
import { decodeCitations, decodePages } from "./citations.ts";
import { decodeContent } from "./decode-content.ts";
import { argumentText, decodeReasoning, decodeToolCall } from "./decode-messages.ts";
import { decodeInnerError } from "./errors.ts";
import { decodeFinish } from "./finish.ts";
import { signText } from "./google-signatures.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { responseSchema, type WireChoice, type WireResponseMessage } from "./schema.ts";
import { decodeUsage } from "./usage.ts";

/**
 * Parses a complete response body. Throws `DialectError` if the body is invalid, or if it is an error that the upstream
 * sent with status 200. MiniMax sends such an error in `base_resp`.
 */
export function* decodeResponse(body: unknown, isLarge: boolean): Steps<Converted<ExchangeResponse>> {
  if (isObject(body) && body["choices"] === undefined && (body["error"] || body["object"] === "error")) {
    throw new DialectError(decodeInnerError(body));
  }
  if (isObject(body) && body["choices"] === null && isObject(body["base_resp"])) {
    const { status_msg: message } = body["base_resp"];
    throw new DialectError(decodeInnerError({ error: { message } }));
  }
  const result = isLarge ? yield* parseInSteps(responseSchema, body) : parseAtOnce(responseSchema, body);
  if (!result.success || result.data.choices.some(isUnreadable))
    throw invalidResponse("The upstream's response is not a chat completion.");
  const wire = result.data;
  // A random id, because many compatible servers send the same id with every response, or no id.
  const responseId = randomUUID();
  const pages = decodePages(wire);
  const candidates: Candidate[] = [];
  for (const [index, { message, finish_reason, logprobs }] of wire.choices.entries()) {
    if (isPauseDue()) yield;
    const tokens = decodeLogprobs(logprobs);
    const parts = yield* decodeMessage(message ?? nothing, pages, tokens, [responseId, index]);
    const seen = {
      calls: parts.some((part) => part.type === "tool-call"),
      refusal: parts.some((part) => part.type === "refusal"),
    };
    candidates.push({ parts, finish: decodeFinish(finish_reason, seen) });
  }
  const value = defined({
    id: wire.id || undefined,
    model: wire.model || undefined,
    created: wire.created || undefined,
    candidates,
    usage: wire.usage ? decodeUsage(wire.usage, wire.service_tier) : undefined,
  });
  return { value, losses: [] };
}

/** Returns whether a choice is invalid: it has no message, and Azure's content filter did not end it. */
function isUnreadable({ message, finish_reason }: WireChoice): boolean {
  return !message && finish_reason !== "content_filter";
}

const nothing: WireResponseMessage = { reasoning: undefined, extra_content: undefined };

/**
 * Converts a message. Citations and log probabilities apply to the whole content and are attached to its first text.
 */
function* decodeMessage(
  message: WireResponseMessage,
  pages: readonly Citation[],
  logprobs: readonly TokenLogprob[] | undefined,
  position: readonly (string | number)[],
): Steps<Part[]> {
  const decoder = decodeContent(message.content, "content");
  const content = signText(yield* decodeResponsePart(decoder, message.content), message.extra_content);
  const cited = decodeCitations(message.annotations);
  const citations = cited.length > 0 ? cited : pages;
  const first = content.findIndex((part) => part.type === "text");
  const parts: Part[] = content.map((part, index) =>
    part.type === "text" && index === first
      ? defined({ citations: citations.length > 0 ? citations : undefined, logprobs, ...part })
      : part,
  );
  parts.unshift(...decodeReasoning(message));
  if (message.refusal) parts.push({ type: "refusal", text: message.refusal });
  if (message.audio?.data) {
    const mediaType = `audio/${message.audio.format ?? "wav"}`;
    parts.push({ type: "audio", source: { kind: "base64", mediaType, data: message.audio.data } });
    if (message.audio.transcript) parts.push({ type: "text", text: message.audio.transcript });
  }
  for (const image of message.images ?? []) {
    const at = isObject(image["image_url"]) ? image["image_url"]["url"] : undefined;
    if (typeof at === "string") parts.push({ type: "image", source: toMediaSource(at) });
  }
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    if (isPauseDue()) yield;
    parts.push(decodeToolCall(call, [...position, index]));
  }
  if (message.function_call?.name) {
    const { name, arguments: text } = message.function_call;
    parts.push({
      type: "tool-call",
      id: createCallId(name, ...position),
      name,
      arguments: argumentText(text),
    });
  }
  return parts;
}
