import type { Capabilities } from "../../exchange/capabilities.ts";
import type { UpstreamCall } from "../../exchange/codec.ts";
import { isObject } from "../../exchange/json.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import type { LossCode } from "../../exchange/loss-codes.ts";
import { asksToThink, clampEffort, resolveBudget, resolveEffort } from "../../exchange/reasoning-effort.ts";
import type { ExchangeRequest, ReasoningRequest } from "../../exchange/request.ts";
import type { Steps } from "../../exchange/steps.ts";
import { encodeStopSequences } from "../shared/encode-stop-sequences.ts";
import { addCacheHints, addForeignExtensions, asksForNothing } from "../shared/losses.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { encodeContents } from "./encode-contents.ts";
import { encodeText } from "./encode-parts.ts";
import { encodeTools } from "./encode-tools.ts";
import { toGenerativeSchema } from "./to-schema.ts";

/** Encodes a call of `generateContent` or `streamGenerateContent`. */
export function* encodeRequest(
  request: ExchangeRequest,
  capabilities: Capabilities,
): Steps<Converted<UpstreamCall>> {
  const losses = createLossList();
  const {
    toolConfig: _,
    generationConfig: further,
    ...own
  } = request.extensions["generative-language"] ?? {};
  const generationConfig = {
    ...encodeConfig(request, capabilities, losses),
    ...(isObject(further) ? further : {}),
  };
  const instructions = encodeInstructions(request, losses);
  const body = {
    ...(instructions.length > 0 ? { systemInstruction: { parts: instructions } } : {}),
    contents: yield* encodeContents(request, capabilities, losses),
    ...encodeTools(request, capabilities, losses),
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
    ...own,
  };
  addUnsaid(request, losses);
  addForeignExtensions(request, "generative-language", losses);
  addCacheHints(request, losses);
  return { value: { path: toPath(request), body }, losses: losses.losses };
}

/**
 * Returns the path of a call and, for a stream, its query. The name of a tuned model contains the collection
 * `tunedModels`; all other models are in the collection `models`.
 */
function toPath(request: ExchangeRequest): string {
  const name = request.model.replace(/^models\//, "");
  const path = name.startsWith("tunedModels/")
    ? `tunedModels/${encodeURIComponent(name.slice("tunedModels/".length))}`
    : `models/${encodeURIComponent(name)}`;
  return request.stream ? `/${path}:streamGenerateContent?alt=sse` : `/${path}:generateContent`;
}

function encodeInstructions(request: ExchangeRequest, losses: LossList): unknown[] {
  return request.instructions.flatMap((part) => {
    if (part.type === "text") return part.text === "" ? [] : [encodeText(part)];
    losses.add(
      `system-${part.type}`,
      `Part of type ${part.type} dropped from the instructions: the dialect supports text only.`,
    );
    return [];
  });
}

function encodeConfig(request: ExchangeRequest, capabilities: Capabilities, losses: LossList) {
  const { sampling } = request;
  const free = capabilities.acceptsSampling;
  const take = <Value>(value: Value | undefined, code: LossCode, accepted = free): Value | undefined => {
    if (value !== undefined && !accepted) losses.add(code, `${code} dropped: the model does not support it.`);
    return accepted ? value : undefined;
  };
  if (Object.keys(sampling.logitBias ?? {}).length > 0)
    losses.add("logit-bias", "`logit_bias` dropped: the upstream has no equivalent.");
  return withoutNullish({
    maxOutputTokens: atMost(sampling.maxOutputTokens, capabilities.maxOutputTokens, "max-tokens", losses),
    temperature: atMost(
      take(sampling.temperature, "temperature"),
      capabilities.maxTemperature,
      "temperature",
      losses,
    ),
    topP: take(sampling.topP, "top-p"),
    topK: take(sampling.topK, "top-k", capabilities.acceptsTopK),
    stopSequences: encodeStopSequences(sampling.stop, capabilities, losses),
    seed: sampling.seed,
    presencePenalty: take(sampling.presencePenalty || undefined, "presence-penalty"),
    frequencyPenalty: take(sampling.frequencyPenalty || undefined, "frequency-penalty"),
    candidateCount: sampling.candidates,
    // The vendor rejects `logprobs` without `responseLogprobs`.
    responseLogprobs: (sampling.topLogprobs ?? 0) > 0 ? true : sampling.logprobs,
    logprobs: sampling.topLogprobs,
    responseModalities: encodeModalities(request),
    thinkingConfig: encodeThinking(request, capabilities, losses),
    ...encodeOutput(request, capabilities, losses),
  });
}

function atMost(asked: number | undefined, most: number | undefined, code: LossCode, losses: LossList) {
  if (asked === undefined || most === undefined || asked <= most) return asked;
  losses.add(code, `${code} lowered to the model's maximum of ${most}.`);
  return most;
}

function encodeModalities(request: ExchangeRequest): string[] | undefined {
  const { modalities } = request;
  if (modalities === undefined || modalities.every((name) => name === "text")) return undefined;
  return modalities.map((name) => name.toUpperCase());
}

/**
 * Encodes the requested reasoning as `thinkingConfig`: a level if the model has thinking levels, otherwise a budget in
 * tokens. Returns undefined if the request does not mention reasoning or the model does not reason.
 */
function encodeThinking(request: ExchangeRequest, capabilities: Capabilities, losses: LossList): unknown {
  const asked = request.reasoning;
  if (!asksToThink(asked)) return undefined;
  const effort = resolveEffort(asked);
  const isOff = effort === "none";
  if (capabilities.reasoning === "none") {
    if (effort !== undefined && !isOff)
      losses.add("reasoning-effort", "Reasoning effort dropped: the model does not reason.");
    return undefined;
  }
  const includeThoughts = asked.include ?? !isOff;
  if (capabilities.reasoning !== "level") {
    return { thinkingBudget: encodeBudget(asked, capabilities, losses), includeThoughts };
  }
  const level = effort === undefined ? undefined : clampEffort(effort, capabilities.efforts);
  if (effort !== undefined && level !== effort) {
    losses.add(
      "reasoning-effort",
      level === undefined
        ? `Reasoning effort ${effort} dropped: the model does not support it.`
        : `Reasoning effort ${effort} sent as ${level}: the model does not support ${effort}.`,
    );
  }
  return { ...(level === undefined ? {} : { thinkingLevel: level.toUpperCase() }), includeThoughts };
}

/**
 * Returns the thinking budget in tokens, raised or lowered to the model's range because the vendor rejects any other
 * value. Returns -1 to let the model choose, and 0 to disable thinking.
 */
function encodeBudget(asked: ReasoningRequest, capabilities: Capabilities, losses: LossList): number {
  const wanted = resolveBudget(asked);
  if (wanted === undefined) return -1;
  if (wanted === 0 && !capabilities.alwaysThinks) return 0;
  const { minThinkingTokens: least = 1, maxThinkingTokens: most = wanted } = capabilities;
  const budget = Math.max(least, Math.min(wanted, most));
  if (budget !== wanted)
    losses.add(
      "reasoning-effort",
      `Reasoning budget of ${wanted} tokens sent as ${budget}, the model's limit.`,
    );
  return budget;
}

/**
 * Encodes the response format. Models before Gemini 3 reject a format other than text in a request with tools
 * (https://ai.google.dev/gemini-api/docs/structured-output).
 */
function encodeOutput({ output, tools }: ExchangeRequest, capabilities: Capabilities, losses: LossList) {
  if (output === undefined || output.type === "text") return {};
  if (tools.length > 0 && !capabilities.combinesTools) {
    losses.add(
      "structured-output",
      "Response format dropped: the model does not support it in a request with tools.",
    );
    return {};
  }
  if (capabilities.structuredOutput === "none") {
    losses.add("structured-output", "Response format dropped: the model does not support structured output.");
    return {};
  }
  const responseMimeType = "application/json";
  if (output.type === "json") return { responseMimeType };
  if (capabilities.structuredOutput === "json") {
    losses.add("json-schema", "JSON schema dropped: the model supports JSON output without a schema only.");
    return { responseMimeType };
  }
  return capabilities.jsonSchemaTools
    ? { responseMimeType, responseJsonSchema: output.schema }
    : { responseMimeType, responseSchema: toGenerativeSchema(output.schema, losses) };
}

/** Adds a loss for each member listed below that the request sets to a value other than the default. */
function addUnsaid(request: ExchangeRequest, losses: LossList): void {
  const unsaid: readonly (readonly [code: LossCode, value: unknown])[] = [
    ["user", request.user],
    ["metadata", request.metadata],
    ["prompt-cache-key", request.cacheKey],
    ["service-tier", request.serviceTier],
    ["verbosity", request.verbosity],
    ["store", request.store],
    ["previous-response-id", request.previousResponseId],
  ];
  for (const [code, value] of unsaid) {
    if (value !== undefined && !asksForNothing(code, value))
      losses.add(code, `${code} dropped: the generative-language dialect has no equivalent.`);
  }
}
