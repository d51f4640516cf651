import type { Capabilities } from "../../exchange/capabilities.ts";
import type { UpstreamCall } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import { narrowTools } from "../../exchange/hosted-tools.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import type { LossCode } from "../../exchange/loss-codes.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { Steps } from "../../exchange/steps.ts";
import { encodeStopSequences } from "../shared/encode-stop-sequences.ts";
import { fitToolChoice } from "../shared/fit-tool-choice.ts";
import { addForeignExtensions, asksForNothing } from "../shared/losses.ts";
import { limitBreakpoints } from "./cache-breakpoints.ts";
import { type BlockContext, encodeParts } from "./encode-blocks.ts";
import { BINDING_BETA, encodeThinking, thinkingAllowance } from "./encode-thinking.ts";
import { encodeTools, toolBetas } from "./encode-tools.ts";
import { encodeTurns, type OutMessage } from "./encode-turns.ts";
import { toStrictSchema } from "./strict-schema.ts";

/** Encodes a call of `/messages`. A default replaces a missing `max_tokens`, which the dialect requires. */
export function* encodeRequest(
  request: ExchangeRequest,
  capabilities: Capabilities,
): Steps<Converted<UpstreamCall>> {
  const list = createLossList();
  const context: BlockContext = { capabilities, list };
  const maxTokens = limitTokens(request, context);
  const { tools, choice } = fitToolChoice(narrowTools(request), capabilities, list);
  const fitted: ExchangeRequest = defined({ ...request, tools, toolChoice: choice });
  const { thinking, effort } = encodeThinking(fitted, maxTokens, capabilities, list);
  const format = encodeFormat(request, context);
  addForeignExtensions(request, "messages", list);
  reportUnsupportedFeatures(request, list);
  const body = defined({
    model: request.model,
    max_tokens: maxTokens,
    ...(yield* encodeConversation(request, context)),
    ...encodeTools(fitted, list),
    ...encodeSampling(
      request,
      context,
      thinking?.["type"] === "enabled" || thinking?.["type"] === "adaptive",
    ),
    thinking,
    output_config: effort === undefined && format === undefined ? undefined : defined({ effort, format }),
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    service_tier: encodeTier(request.serviceTier, list),
    cache_control: encodeAutomaticCaching(request, context),
    ...request.extensions.messages,
    stream: request.stream ? true : undefined,
  });
  const betas = [...toolBetas(request), ...(thinking?.["block_binding"] === undefined ? [] : [BINDING_BETA])];
  return {
    value: { path: "/messages", body: limitBreakpoints(body, list), ...encodeBetas(betas) },
    losses: list.losses,
  };
}

function encodeBetas(betas: readonly string[]): { headers?: Readonly<Record<string, string>> } {
  return betas.length === 0 ? {} : { headers: { "anthropic-beta": [...new Set(betas)].join(",") } };
}

function limitTokens(request: ExchangeRequest, { capabilities, list }: BlockContext): number {
  const asked =
    request.sampling.maxOutputTokens ??
    capabilities.defaultMaxTokens + thinkingAllowance(request, capabilities);
  const max = capabilities.maxOutputTokens;
  if (max === undefined || asked <= max) return asked;
  if (request.sampling.maxOutputTokens !== undefined)
    list.add("max-tokens", `max-tokens lowered to the model's maximum of ${max}.`);
  return max;
}

function* encodeConversation(
  request: ExchangeRequest,
  context: BlockContext,
): Steps<{ readonly system: unknown; readonly messages: readonly OutMessage[] }> {
  const system = encodeParts(request.instructions, context);
  const messages = yield* encodeTurns(request, context);
  const [only] = system;
  const isText = system.length === 1 && only !== undefined && !("cache_control" in only);
  return {
    system: system.length === 0 ? undefined : isText ? only["text"] : system,
    messages,
  };
}

/**
 * Encodes the sampling members. With thinking, the vendor rejects `top_k`, a `temperature` other than 1 and a `top_p`
 * below 0.95. Newer models reject `temperature` together with `top_p`.
 */
function encodeSampling(request: ExchangeRequest, { capabilities, list }: BlockContext, thinks: boolean) {
  const { temperature, topP, topK, stop } = request.sampling;
  const allowed = capabilities.acceptsSampling && !thinks;
  const take = <Value>(value: Value | undefined, accepted: boolean, code: LossCode): Value | undefined => {
    if (value !== undefined && !accepted)
      list.add(code, `${code} dropped: the vendor does not support it in this call.`);
    return accepted ? value : undefined;
  };
  const both = temperature !== undefined && !capabilities.acceptsTopPWithTemperature;
  if (temperature !== undefined && allowed && temperature > capabilities.maxTemperature) {
    list.add("temperature", `temperature lowered to the model's maximum of ${capabilities.maxTemperature}.`);
  }
  return {
    temperature: take(
      temperature === undefined ? undefined : Math.min(temperature, capabilities.maxTemperature),
      allowed || (temperature === 1 && capabilities.acceptsSampling),
      "temperature",
    ),
    top_p: take(
      topP,
      (allowed || (thinks && capabilities.acceptsSampling && topP !== undefined && topP >= 0.95)) && !both,
      "top-p",
    ),
    top_k: take(topK, allowed && capabilities.acceptsTopK, "top-k"),
    stop_sequences: encodeStopSequences(stop, capabilities, list),
  };
}

function encodeFormat(request: ExchangeRequest, { capabilities, list }: BlockContext): unknown {
  const { output } = request;
  if (output === undefined || output.type === "text") return undefined;
  if (output.type === "json" || !/json-schema$/.test(capabilities.structuredOutput)) {
    list.add(
      "structured-output",
      "Response format dropped: the vendor does not support it, and the proxy cannot force a tool call instead.",
    );
    return undefined;
  }
  return { type: "json_schema", schema: toStrictSchema(output.schema, list) };
}

function encodeTier(tier: string | undefined, list: LossList): string | undefined {
  if (tier === undefined || tier === "auto" || tier === "standard_only") return tier;
  if (tier === "default") return "standard_only";
  list.add("service-tier", `Service tier ${tier} dropped: the vendor does not support it.`);
  return undefined;
}

/** Requests automatic caching if the client sent a cache key, because this vendor caches only on request. */
function encodeAutomaticCaching(request: ExchangeRequest, { capabilities, list }: BlockContext): unknown {
  if (request.cacheKey === undefined) return undefined;
  if (capabilities.cacheControl === "all") return { type: "ephemeral" };
  list.add("prompt-cache-key", "Cache key dropped: the upstream does not support it.");
  return undefined;
}

/**
 * Adds a loss for each requested feature that the dialect does not support. Default values do not count as losses.
 */
function reportUnsupportedFeatures(request: ExchangeRequest, list: LossList): void {
  const { sampling } = request;
  const unsupported: readonly (readonly [code: LossCode, isPresent: boolean])[] = [
    ["seed", sampling.seed !== undefined],
    ["frequency-penalty", (sampling.frequencyPenalty ?? 0) !== 0],
    ["presence-penalty", (sampling.presencePenalty ?? 0) !== 0],
    ["candidates", (sampling.candidates ?? 1) !== 1],
    ["logprobs", sampling.logprobs === true || (sampling.topLogprobs ?? 0) > 0],
    ["logit-bias", Object.keys(sampling.logitBias ?? {}).length > 0],
    ...(["verbosity", "modalities", "store", "metadata"] as const).map(
      (code) => [code, request[code] !== undefined && !asksForNothing(code, request[code])] as const,
    ),
  ];
  for (const [code, isPresent] of unsupported)
    if (isPresent) list.add(code, `${code} dropped: the dialect has no equivalent.`);
}
