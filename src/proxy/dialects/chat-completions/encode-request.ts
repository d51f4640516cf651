import type { Capabilities } from "../../exchange/capabilities.ts";
import type { UpstreamCall } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import { type LossCode, memberCode } from "../../exchange/loss-codes.ts";
import { asksToThink, resolveEffort } from "../../exchange/reasoning-effort.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import type { Steps } from "../../exchange/steps.ts";
import { decodeCacheControl } from "../shared/cache-control.ts";
import { encodeStopSequences } from "../shared/encode-stop-sequences.ts";
import { addForeignExtensions, asksForNothing } from "../shared/losses.ts";
import { requestedServiceTier } from "../shared/openai-service-tier.ts";
import { selectEffort } from "../shared/select-effort.ts";
import { fitUserName } from "../shared/user-name.ts";
import { encodeMessages } from "./encode-messages.ts";
import { encodeOutput, encodeTools } from "./encode-tools.ts";

/**
 * Encodes a call of `/chat/completions`. A streaming call requests usage if the upstream supports the option, because
 * the proxy records the usage of every call.
 */
export function* encodeRequest(
  request: ExchangeRequest,
  capabilities: Capabilities,
): Steps<Converted<UpstreamCall>> {
  const list = createLossList();
  const caching = encodeAutomaticCaching(request, capabilities);
  const members = {
    model: request.model,
    messages: yield* encodeMessages(request, capabilities, list),
    ...encodeTools(request, capabilities, list),
    ...encodeSampling(request, capabilities, list),
    ...encodeEffort(request, capabilities, list),
    response_format: encodeOutput(request.output, capabilities, list),
    ...encodeOptional(request, capabilities, list),
    ...caching,
    ...request.extensions["chat-completions"],
    ...encodeStream(request, capabilities),
  };
  const body = fitMembers(members, capabilities, list);
  if (request.turns.at(-1)?.role === "assistant" && !capabilities.acceptsPrefill) {
    list.add(
      "assistant-prefill",
      "The model starts a new message instead of continuing the assistant's last one.",
    );
  }
  addForeignExtensions(request, "chat-completions", list, Object.keys(caching));
  return { value: { path: "/chat/completions", body }, losses: list.losses };
}

/** Encodes the automatic caching that a messages client requests, if the upstream supports it (OpenRouter). */
function encodeAutomaticCaching({ extensions }: ExchangeRequest, { cacheControl }: Capabilities) {
  const cache = decodeCacheControl(extensions.messages?.["cache_control"]);
  if (cache === undefined || cacheControl !== "all") return {};
  return { cache_control: { type: "ephemeral", ...cache } };
}

/**
 * Returns the members that the upstream accepts, under the upstream's names. Adds a loss for each rejected member
 * except `n` with its default value, 1.
 */
function fitMembers(
  members: Readonly<Record<string, unknown>>,
  { rejectedMembers, memberNames }: Capabilities,
  list: LossList,
): Readonly<Record<string, unknown>> {
  const fitted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    if (!rejectedMembers.includes(name)) fitted[memberNames[name] ?? name] = value;
    else if (name !== "n" || value !== 1)
      list.add(MEMBER_LOSSES[name] ?? memberCode(name), `\`${name}\` dropped: the upstream rejects it.`);
  }
  return fitted;
}

/** Loss codes of the members whose code is not their name. */
const MEMBER_LOSSES: Readonly<Record<string, LossCode>> = { n: "candidates", top_logprobs: "logprobs" };

function encodeSampling(request: ExchangeRequest, capabilities: Capabilities, list: LossList) {
  const { sampling } = request;
  const allowed = capabilities.acceptsSampling;
  const unless = <Value>(accepted: boolean, value: Value | undefined, code: LossCode): Value | undefined => {
    if (!accepted && value !== undefined) list.add(code, `${code} dropped: the model does not support it.`);
    return accepted ? value : undefined;
  };
  return {
    [capabilities.maxTokensName]: limitTokens(request, capabilities, list),
    temperature: unless(
      allowed,
      atMost(sampling.temperature, capabilities.maxTemperature, list),
      "temperature",
    ),
    top_p: unless(allowed, sampling.topP, "top-p"),
    top_k: unless(capabilities.acceptsTopK, sampling.topK, "top-k"),
    stop: encodeStopSequences(sampling.stop, capabilities, list),
    seed: sampling.seed,
    frequency_penalty: unless(allowed, sampling.frequencyPenalty, "frequency-penalty"),
    presence_penalty: unless(allowed, sampling.presencePenalty, "presence-penalty"),
    n: sampling.candidates,
    ...encodeLogprobs(sampling),
    logit_bias: sampling.logitBias,
  };
}

/** Encodes `logprobs` and `top_logprobs`. Upstreams reject `top_logprobs` without `logprobs`. */
function encodeLogprobs({ logprobs, topLogprobs = 0 }: ExchangeRequest["sampling"]) {
  return topLogprobs > 0 ? { logprobs: true, top_logprobs: topLogprobs } : { logprobs };
}

function limitTokens(
  request: ExchangeRequest,
  capabilities: Capabilities,
  list: LossList,
): number | undefined {
  const asked = request.sampling.maxOutputTokens;
  const max = capabilities.maxOutputTokens;
  if (asked === undefined || max === undefined || asked <= max) return asked;
  list.add("max-tokens", `max-tokens lowered to the model's maximum of ${max}.`);
  return max;
}

function atMost(temperature: number | undefined, max: number, list: LossList): number | undefined {
  if (temperature === undefined || temperature <= max) return temperature;
  list.add("temperature", `temperature lowered to the model's maximum of ${max}.`);
  return max;
}

function encodeEffort(
  request: ExchangeRequest,
  capabilities: Capabilities,
  list: LossList,
): Readonly<Record<string, unknown>> {
  if (!capabilities.reasonsWithTools && request.tools.some(({ type }) => type !== "hosted"))
    return switchReasoningOff(request, capabilities, list);
  if (!asksToThink(request.reasoning)) return {};
  const { budget } = request.reasoning;
  const { thinkingMember } = capabilities;
  if (thinkingMember === "reasoning" && budget !== undefined && budget > 0)
    return { reasoning: { max_tokens: budget } };
  const effort = selectEffort(request.reasoning, capabilities, list);
  if (effort === undefined) return {};
  if (thinkingMember === "reasoning") return { reasoning: { effort } };
  return thinkingMember === "thinking" && effort === "none"
    ? { thinking: { type: "disabled" } }
    : { reasoning_effort: effort };
}

/** Switches reasoning off in a request with functions. Throws `DialectError` (400) if the model always reasons. */
function switchReasoningOff(
  { model, reasoning }: ExchangeRequest,
  { efforts }: Capabilities,
  list: LossList,
): Readonly<Record<string, unknown>> {
  if (efforts.length > 0 && !efforts.includes("none"))
    throw invalidRequest(
      `The model ${model} does not accept functions in chat completions. Set "dialect": "responses" for its upstream.`,
      "tools",
    );
  if (asksToThink(reasoning) && resolveEffort(reasoning) !== "none")
    list.add(
      "reasoning-effort",
      "Reasoning disabled: the model does not support it in a request with functions.",
    );
  return { reasoning_effort: "none" };
}

function encodeStream({ stream }: ExchangeRequest, { acceptsStreamOptions }: Capabilities) {
  if (!stream) return {};
  return acceptsStreamOptions ? { stream, stream_options: { include_usage: true } } : { stream };
}

/** Encodes `user`, and the members that some upstreams of the dialect reject. */
function encodeOptional(request: ExchangeRequest, capabilities: Capabilities, list: LossList) {
  const members = defined({
    prompt_cache_key: request.cacheKey,
    service_tier: requestedServiceTier(request.serviceTier, list),
    verbosity: request.verbosity,
    modalities: request.modalities,
    metadata: request.metadata,
    store: request.store,
  });
  const user = fitUserName(request.user);
  const taken: Record<string, unknown> = user === undefined ? {} : { user };
  for (const [name, value] of Object.entries(members)) {
    if (capabilities.optionalMembers.includes(name)) taken[name] = value;
    else if (!asksForNothing(memberCode(name), value))
      list.add(memberCode(name), `\`${name}\` dropped: the upstream has no equivalent.`);
  }
  return taken;
}
