import type { Capabilities } from "../../exchange/capabilities.ts";
import type { UpstreamCall } from "../../exchange/codec.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import { type LossCode, memberCode } from "../../exchange/loss-codes.ts";
import type { ExchangeRequest, OutputFormat } from "../../exchange/request.ts";
import type { Steps } from "../../exchange/steps.ts";
import { addCacheHints, addForeignExtensions } from "../shared/losses.ts";
import { requestedServiceTier } from "../shared/openai-service-tier.ts";
import { selectEffort } from "../shared/select-effort.ts";
import { fitUserName } from "../shared/user-name.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { encodeInputPart } from "./encode-content.ts";
import { encodeTurns } from "./encode-items.ts";
import { encodeToolChoice, encodeTools } from "./encode-tools.ts";

/** Encodes a call of `/responses`. A missing `store` is sent as false, because the vendor's default is true. */
export function* encodeRequest(
  request: ExchangeRequest,
  capabilities: Capabilities,
): Steps<Converted<UpstreamCall>> {
  const losses = createLossList();
  const tools = encodeTools(request.tools, losses);
  const own = request.extensions.responses ?? {};
  const body = {
    model: request.model,
    ...(yield* encodeConversation(request, capabilities, losses)),
    ...withoutNullish({
      tools: tools.length > 0 ? tools : undefined,
      tool_choice: tools.length > 0 ? encodeToolChoice(request) : undefined,
      parallel_tool_calls: tools.length > 0 ? request.parallelToolCalls : undefined,
      ...encodeSampling(request, capabilities, losses),
      reasoning: encodeReasoning(request, capabilities, losses),
      text: encodeText(request, capabilities, losses),
      user: fitUserName(request.user),
      previous_response_id: request.previousResponseId,
      ...encodeOptional(request, capabilities, losses),
    }),
    store: request.store ?? false,
    ...own,
    ...encodeInclude(request, capabilities, own["include"]),
    ...(request.stream ? { stream: true } : {}),
  };
  if (request.turns.at(-1)?.role === "assistant") {
    losses.add(
      "assistant-prefill",
      "The model starts a new message instead of continuing the assistant's last one.",
    );
  }
  addForeignExtensions(request, "responses", losses);
  addCacheHints(request, losses);
  return { value: { path: "/responses", body }, losses: losses.losses };
}

/**
 * Encodes the instructions and the conversation. The first instruction becomes `instructions` if it is text, and the
 * others become a message before the conversation.
 */
function* encodeConversation(
  request: ExchangeRequest,
  capabilities: Capabilities,
  losses: LossList,
): Steps<{ readonly instructions?: string; readonly input: readonly unknown[] }> {
  const systemRole = capabilities.acceptsDeveloperRole ? "developer" : "system";
  const [first, ...further] = request.instructions;
  const isPlain = first?.type === "text";
  const content = (isPlain ? further : request.instructions)
    .map((part) => encodeInputPart(part, { capabilities, losses }))
    .filter((part) => part !== undefined);
  const opening = content.length > 0 ? [{ type: "message", role: systemRole, content }] : [];
  return {
    ...(isPlain ? { instructions: first.text } : {}),
    input: [...opening, ...(yield* encodeTurns(request, systemRole, { capabilities, losses }))],
  };
}

/** Members of `sampling` that are not sent, with their loss codes. */
const unsayable = {
  stop: "stop",
  topK: "top-k",
  seed: "seed",
  frequencyPenalty: "frequency-penalty",
  presencePenalty: "presence-penalty",
  logitBias: "logit-bias",
} as const;

function encodeSampling(request: ExchangeRequest, capabilities: Capabilities, losses: LossList) {
  const { sampling } = request;
  for (const [name, code] of Object.entries(unsayable)) {
    const value = sampling[name as keyof typeof unsayable];
    const isNothing =
      value === undefined ||
      (value === 0 && name.endsWith("Penalty")) ||
      (typeof value === "object" && Object.keys(value).length === 0);
    if (!isNothing) losses.add(code, `${code} dropped: the responses dialect has no equivalent.`);
  }
  if ((sampling.candidates ?? 1) > 1)
    losses.add("candidates", "Candidates after the first dropped: the dialect has only one.");
  if (request.modalities?.some((modality) => modality !== "text")) {
    losses.add("modalities", "Output modalities dropped: the responses dialect has no equivalent.");
  }
  const free = capabilities.acceptsSampling;
  if (!free && sampling.temperature !== undefined)
    losses.add("temperature", "temperature dropped: the model does not support it.");
  if (!free && sampling.topP !== undefined)
    losses.add("top-p", "top_p dropped: the model does not support it.");
  return {
    max_output_tokens: encodeLimit(sampling.maxOutputTokens, capabilities, losses),
    temperature: free
      ? atMost(sampling.temperature, capabilities.maxTemperature, "temperature", losses)
      : undefined,
    top_p: free ? sampling.topP : undefined,
    top_logprobs: sampling.topLogprobs,
  };
}

/**
 * Encodes the output limit. Raises it to the vendor's minimum, because some clients request a single token to test
 * access.
 */
function encodeLimit(asked: number | undefined, capabilities: Capabilities, losses: LossList) {
  const limit = atMost(asked, capabilities.maxOutputTokens, "max-tokens", losses);
  const min = capabilities.minOutputTokens ?? 1;
  if (limit === undefined || limit >= min) return limit;
  losses.add("max-tokens", `max-tokens raised to the vendor's minimum of ${min}.`);
  return min;
}

function atMost(
  asked: number | undefined,
  max: number | undefined,
  code: LossCode,
  losses: LossList,
): number | undefined {
  if (asked === undefined || max === undefined || asked <= max) return asked;
  losses.add(code, `${code} lowered to the model's maximum of ${max}.`);
  return max;
}

function encodeReasoning(request: ExchangeRequest, capabilities: Capabilities, losses: LossList): unknown {
  const asked = request.reasoning;
  if (asked === undefined) return undefined;
  const effort = selectEffort(asked, capabilities, losses);
  const summary = asked.summary ?? (asked.include === true ? "auto" : undefined);
  const members = withoutNullish({
    effort,
    summary: capabilities.reasoning === "none" ? undefined : summary,
  });
  return Object.keys(members).length > 0 ? members : undefined;
}

function encodeText(request: ExchangeRequest, capabilities: Capabilities, losses: LossList): unknown {
  const members = withoutNullish({
    format: encodeFormat(request.output, capabilities, losses),
    verbosity: optional("verbosity", request.verbosity, capabilities, losses),
  });
  return Object.keys(members).length > 0 ? members : undefined;
}

function encodeFormat(
  output: OutputFormat | undefined,
  capabilities: Capabilities,
  losses: LossList,
): unknown {
  if (output === undefined) return undefined;
  if (output.type === "text") return { type: "text" };
  if (capabilities.structuredOutput === "none") {
    losses.add("structured-output", "Response format dropped: the model does not support structured output.");
    return undefined;
  }
  if (output.type === "json") return { type: "json_object" };
  if (capabilities.structuredOutput === "json") {
    losses.add("json-schema", "JSON schema dropped: the model supports JSON output without a schema only.");
    return { type: "json_object" };
  }
  return {
    type: "json_schema",
    name: output.name ?? "answer",
    schema: output.schema,
    ...withoutNullish({ description: output.description, strict: output.strict }),
  };
}

/** Encodes the members that some upstreams of the dialect reject. */
function encodeOptional(request: ExchangeRequest, capabilities: Capabilities, losses: LossList) {
  const tier = requestedServiceTier(request.serviceTier, losses);
  return {
    metadata: optional("metadata", request.metadata, capabilities, losses),
    prompt_cache_key: optional("prompt_cache_key", request.cacheKey, capabilities, losses),
    service_tier: optional("service_tier", tier, capabilities, losses),
  };
}

function optional<Value>(
  name: string,
  value: Value,
  capabilities: Capabilities,
  losses: LossList,
): Value | undefined {
  if (value === undefined || capabilities.optionalMembers.includes(name)) return value;
  losses.add(memberCode(name), `\`${name}\` dropped: the upstream has no equivalent.`);
  return undefined;
}

/**
 * Encodes `include`. Requests encrypted reasoning if the client did, and from every reasoning model unless the vendor
 * stores the response: otherwise, the next request could not contain the reasoning.
 */
function encodeInclude(request: ExchangeRequest, capabilities: Capabilities, own: unknown) {
  const reasons = capabilities.reasoning !== "none";
  const include = [
    ...(request.reasoning?.encrypted === true || (reasons && request.store !== true)
      ? ["reasoning.encrypted_content"]
      : []),
    ...(request.sampling.logprobs === true ? ["message.output_text.logprobs"] : []),
    ...(Array.isArray(own) ? own : []),
  ];
  return include.length > 0 ? { include } : {};
}
