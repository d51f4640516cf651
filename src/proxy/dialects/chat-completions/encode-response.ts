import type { EncodeContext } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import { toMediaUrl } from "../../exchange/media.ts";
import type { Part, ReasoningPart, ToolCallPart } from "../../exchange/parts.ts";
import type { Candidate, ExchangeResponse } from "../../exchange/response.ts";
import { isPauseDue, mapInSteps, type Steps } from "../../exchange/steps.ts";
import { isDeclaredCustom, unwrapCustomInput } from "../shared/custom-calls.ts";
import { openAiServiceTier } from "../shared/openai-service-tier.ts";
import { encodeCitations } from "./citations.ts";
import { encodeToolCall } from "./encode-messages.ts";
import { encodeFinish } from "./finish.ts";
import { findTextSignature, googleExtra } from "./google-signatures.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { encodeReasoningDetail } from "./reasoning-details.ts";
import { encodeUsage } from "./usage.ts";

/** Returns a response id with the prefix `chatcmpl-`, which clients of this dialect expect. */
export function completionId(id: string | undefined, context: EncodeContext): string {
  if (id === undefined || id === "") return `chatcmpl-${context.fallbackId}`;
  return id.startsWith("chatcmpl-") ? id : `chatcmpl-${id}`;
}

/** Encodes a complete response. */
export function* encodeResponse(
  response: ExchangeResponse,
  context: EncodeContext,
): Steps<Converted<unknown>> {
  const list = createLossList();
  const choices: unknown[] = [];
  for (const [index, candidate] of response.candidates.entries()) {
    if (isPauseDue()) yield;
    choices.push(yield* encodeChoice(candidate, index, context, list));
  }
  const value = defined({
    id: completionId(response.id, context),
    object: "chat.completion",
    created: response.created ?? Math.floor(context.now / 1000),
    model: response.model ?? context.model,
    choices,
    service_tier: openAiServiceTier(response.usage),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
  });
  return { value, losses: list.losses };
}

function* encodeChoice(
  candidate: Candidate,
  index: number,
  context: EncodeContext,
  list: LossList,
): Steps<unknown> {
  const { parts, finish } = candidate;
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  const refusals = parts.flatMap((part) => (part.type === "refusal" ? [part.text] : []));
  const { content, annotations } = encodeText(parts, list);
  for (const part of parts) reportUnsupportedPart(part, list);
  const refusal = refusals.length > 0 ? refusals.join("") : null;
  return {
    index,
    message: defined({
      role: "assistant",
      content: content === "" && (calls.length > 0 || refusal !== null) ? null : content,
      refusal,
      ...encodeReasoning(parts),
      ...googleExtra(findTextSignature(parts, list)),
      annotations: annotations.length > 0 ? annotations : undefined,
      images: encodeImages(parts),
      tool_calls:
        calls.length > 0 ? yield* mapInSteps(calls, (call) => encodeWholeCall(call, context)) : undefined,
    }),
    logprobs: encodeLogprobs(parts.flatMap((part) => (part.type === "text" ? (part.logprobs ?? []) : []))),
    finish_reason: encodeFinish(finish, { calls: calls.length > 0, refusal: refusal !== null }),
  };
}

function encodeText(parts: readonly Part[], list: LossList) {
  let content = "";
  const annotations: unknown[] = [];
  for (const part of parts) {
    if (part.type !== "text") continue;
    const range = { offset: content.length, length: part.text.length };
    annotations.push(...encodeCitations(part.citations, range, list));
    content += part.text;
  }
  return { content, annotations };
}

/** The separator between the reasoning parts of a response, which this dialect joins into one text. */
export const betweenThoughts = "\n\n";

function encodeReasoning(parts: readonly Part[]) {
  const reasoning = parts.filter((part): part is ReasoningPart => part.type === "reasoning");
  const text = reasoning
    .filter((part) => part.redacted !== true && part.text !== "")
    .map((part) => part.text)
    .join(betweenThoughts);
  const details = reasoning.flatMap((part) => encodeReasoningDetail(part) ?? []);
  return {
    reasoning_content: text === "" ? undefined : text,
    reasoning_details: details.length > 0 ? details : undefined,
  };
}

/**
 * Encodes a tool call. The call of a tool that the client declared as custom becomes a custom call. A custom call of
 * another tool becomes a function call with the argument `input`.
 */
function encodeWholeCall(call: ToolCallPart, context: EncodeContext): unknown {
  if (isDeclaredCustom(call.name, context.request))
    return encodeToolCall({ ...call, custom: true, arguments: unwrapCustomInput(call) });
  if (call.custom !== true) return encodeToolCall(call);
  const { custom: _, ...plain } = call;
  return encodeToolCall({ ...plain, arguments: JSON.stringify({ input: call.arguments }) });
}

/** Encodes images in OpenRouter's form, because OpenAI defines none for this dialect. */
function encodeImages(parts: readonly Part[]): unknown[] | undefined {
  const images = parts.flatMap((part) => {
    const url = part.type === "image" ? toMediaUrl(part.source) : undefined;
    return url === undefined ? [] : [{ type: "image_url", image_url: { url } }];
  });
  return images.length > 0 ? images : undefined;
}

/** Adds a loss for the dropped signature of an image. */
export function reportLostImageSignature(list: LossList): void {
  list.add("part-signature", "Signature of an image dropped: the dialect has no equivalent.");
}

function reportUnsupportedPart(part: Part, list: LossList): void {
  if (part.type === "image" && part.signature !== undefined) reportLostImageSignature(list);
  if (["text", "refusal", "reasoning", "tool-call", "image"].includes(part.type)) return;
  list.add(
    `answer-${part.type}`,
    `Part of type ${part.type} dropped from the response: the dialect has no equivalent.`,
  );
}
