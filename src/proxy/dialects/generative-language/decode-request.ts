import type { DecodeContext } from "../../exchange/codec.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeRequest, OutputFormat, ReasoningRequest, Sampling } from "../../exchange/request.ts";
import type { Steps } from "../../exchange/steps.ts";
import { parseRequestInSteps, parseRequestPiece } from "../shared/parse.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { camelKeys } from "./camel-keys.ts";
import { decodeContents, decodePart } from "./decode-contents.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { fromGenerativeSchema } from "./from-schema.ts";
import {
  knownConfig,
  knownMembers,
  requestSchema,
  type WireGenerationConfig,
  type WireRequest,
} from "./schema.ts";

/**
 * Parses the body of `generateContent` or `streamGenerateContent`. `context` contains the model and the method, which
 * are in the path. Throws a `DialectError` (400) that names the invalid member.
 */
export function* decodeRequest(body: unknown, context: DecodeContext): Steps<Converted<ExchangeRequest>> {
  const renamed = camelKeys(body);
  const wire = context.isLarge
    ? yield* parseRequestInSteps(requestSchema, renamed)
    : parseRequestPiece(requestSchema, renamed);
  const model = (context.model ?? wire.model ?? "").replace(/^models\//, "");
  if (model === "") throw invalidRequest("The request names no model.", "model");
  const config = wire.generationConfig ?? {};
  const value: ExchangeRequest = {
    model,
    stream: context.stream === true,
    instructions: decodeInstructions(wire.systemInstruction),
    turns: yield* decodeContents([wire.contents ?? []].flat()),
    tools: yield* decodeTools(wire.tools),
    sampling: decodeSampling(config),
    ...withoutNullish({
      toolChoice: decodeToolChoice(wire.toolConfig),
      reasoning: decodeReasoning(config.thinkingConfig),
      output: decodeOutput(config),
      modalities: config.responseModalities?.map((name) => name.toLowerCase()),
      metadata: wire.labels,
    }),
    extensions: decodeExtensions(wire, config),
  };
  return { value, losses: [] };
}

function decodeInstructions(instruction: WireRequest["systemInstruction"]): Part[] {
  if (typeof instruction === "string") return [{ type: "text", text: instruction }];
  return (instruction?.parts ?? []).map(decodePart);
}

function decodeSampling(config: WireGenerationConfig): Sampling {
  return withoutNullish({
    maxOutputTokens: config.maxOutputTokens,
    temperature: config.temperature,
    topP: config.topP,
    topK: config.topK,
    stop: config.stopSequences,
    seed: config.seed,
    presencePenalty: config.presencePenalty,
    frequencyPenalty: config.frequencyPenalty,
    candidates: config.candidateCount,
    logprobs: config.responseLogprobs,
    topLogprobs: config.logprobs,
  });
}

const levels = ["minimal", "low", "medium", "high"] as const;

function decodeReasoning(thinking: WireGenerationConfig["thinkingConfig"]): ReasoningRequest | undefined {
  if (!thinking) return undefined;
  const level = thinking.thinkingLevel?.toLowerCase();
  return withoutNullish({
    effort: levels.find((name) => name === level),
    budget: thinking.thinkingBudget,
    include: thinking.includeThoughts,
  });
}

function decodeOutput(config: WireGenerationConfig): OutputFormat | undefined {
  const { responseMimeType, responseJsonSchema, responseSchema } = config;
  const own = responseSchema === undefined || responseSchema === null ? undefined : responseSchema;
  const schema = responseJsonSchema ?? (own === undefined ? undefined : fromGenerativeSchema(own));
  if (schema !== undefined && schema !== null) return { type: "json-schema", schema, strict: true };
  if (responseMimeType === "application/json") return { type: "json" };
  return responseMimeType === "text/plain" ? { type: "text" } : undefined;
}

function decodeExtensions(wire: WireRequest, config: WireGenerationConfig): ExchangeRequest["extensions"] {
  const own = unknownMembers(wire, knownMembers);
  const further = unknownMembers(config, knownConfig);
  if (Object.keys(further).length > 0) own["generationConfig"] = further;
  const { functionCallingConfig: _, ...toolConfig } = wire.toolConfig ?? {};
  if (Object.keys(toolConfig).length > 0) own["toolConfig"] = toolConfig;
  return Object.keys(own).length > 0 ? { "generative-language": own } : {};
}

function unknownMembers(
  members: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([name, value]) => !known.has(name) && value !== undefined && value !== null,
    ),
  );
}
