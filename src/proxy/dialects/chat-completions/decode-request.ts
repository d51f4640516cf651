import type { DecodeContext } from "../../exchange/codec.ts";
import { defined } from "../../exchange/defined.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import type { Converted } from "../../exchange/loss.ts";
import { efforts } from "../../exchange/reasoning-effort.ts";
import type { ExchangeRequest, ReasoningRequest, Sampling } from "../../exchange/request.ts";
import type { Steps } from "../../exchange/steps.ts";
import { invalidBody } from "../shared/parse.ts";
import { parseAtOnce, parseInSteps } from "../shared/parse-in-steps.ts";
import { decodeMessages } from "./decode-messages.ts";
import { decodeOutput, decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { requestSchema, type WireRequest } from "./schema.ts";

const known = new Set(Object.keys(requestSchema.shape));

/** Parses a chat-completions request body. Throws `DialectError` (400) that names the invalid member. */
export function* decodeRequest(body: unknown, { isLarge }: DecodeContext): Steps<Converted<ExchangeRequest>> {
  const result = isLarge ? yield* parseInSteps(requestSchema, body) : parseAtOnce(requestSchema, body);
  if (!result.success) throw invalidBody({ issues: [result.issue] });
  const wire = result.data;
  const { instructions, turns } = yield* decodeMessages(wire.messages);
  const value: ExchangeRequest = defined({
    model: wire.model,
    stream: wire.stream ?? false,
    instructions,
    turns,
    tools: decodeTools(wire),
    toolChoice: decodeToolChoice(wire),
    parallelToolCalls: wire.parallel_tool_calls ?? undefined,
    sampling: decodeSampling(wire),
    reasoning: decodeReasoningRequest(wire),
    output: decodeOutput(wire.response_format),
    streamUsage: wire.stream_options?.include_usage ?? undefined,
    user: wire.safety_identifier ?? wire.user ?? undefined,
    cacheKey: wire.prompt_cache_key ?? undefined,
    serviceTier: wire.service_tier ?? undefined,
    verbosity: wire.verbosity ?? undefined,
    modalities: wire.modalities ?? undefined,
    metadata: wire.metadata ?? undefined,
    store: wire.store ?? undefined,
    extensions: decodeExtensions(wire),
  });
  return { value, losses: [] };
}

function decodeSampling(wire: WireRequest): Sampling {
  return defined({
    maxOutputTokens: wire.max_completion_tokens ?? wire.max_tokens ?? undefined,
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    topK: wire.top_k ?? undefined,
    stop: typeof wire.stop === "string" ? [wire.stop] : (wire.stop ?? undefined),
    seed: wire.seed ?? undefined,
    frequencyPenalty: wire.frequency_penalty ?? undefined,
    presencePenalty: wire.presence_penalty ?? undefined,
    candidates: wire.n ?? undefined,
    logprobs: wire.logprobs ?? undefined,
    topLogprobs: wire.top_logprobs ?? undefined,
    logitBias: wire.logit_bias ?? undefined,
  });
}

function decodeReasoningRequest(wire: WireRequest): ReasoningRequest | undefined {
  const name = wire.reasoning_effort ?? wire.reasoning?.effort ?? undefined;
  const effort = efforts.find((known) => known === name);
  if (name !== undefined && effort === undefined) {
    const member = typeof wire.reasoning_effort === "string" ? "reasoning_effort" : "reasoning.effort";
    const valid = efforts.join(", ");
    throw invalidRequest(
      `Invalid value for '${member}': ${JSON.stringify(name)}. Use one of: ${valid}.`,
      member,
    );
  }
  const budget = wire.reasoning?.max_tokens ?? undefined;
  if (effort === undefined && budget === undefined) return undefined;
  return defined({ effort, budget, include: wire.reasoning?.exclude === true ? false : undefined });
}

/** Returns the members without an equivalent in the exchange. Encoders of other dialects report them as losses. */
function decodeExtensions(wire: WireRequest): ExchangeRequest["extensions"] {
  const rest = Object.entries(wire).filter(([key, value]) => !known.has(key) && value !== null);
  return rest.length === 0 ? {} : { "chat-completions": Object.fromEntries(rest) };
}
