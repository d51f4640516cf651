import { z } from "zod";
import { camelKeys } from "./camel-keys.ts";

/**
 * The generative-language dialect as it is read: https://ai.google.dev/api/generate-content. Objects are loose, and
 * every member may be in snake_case.
 */

const count = z.number().nullish();
const text = z.string().nullish();
const flag = z.boolean().nullish();
const anything = z.unknown().optional();

function message<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(camelKeys, z.looseObject(shape));
}

const blobSchema = message({ mimeType: text, data: z.string(), displayName: text });
const fileSchema = message({ mimeType: text, fileUri: z.string(), displayName: text });

const partialArgSchema = message({
  jsonPath: z.string(),
  stringValue: text,
  numberValue: count,
  boolValue: flag,
  nullValue: anything,
  willContinue: flag,
});
export type WirePartialArg = z.output<typeof partialArgSchema>;

const functionCallSchema = message({
  id: text,
  name: text,
  args: anything,
  partialArgs: z.array(partialArgSchema).nullish(),
  willContinue: flag,
});

const functionResponseSchema = message({
  id: text,
  name: z.string(),
  response: anything,
  parts: z.array(message({ inlineData: blobSchema.nullish(), fileData: fileSchema.nullish() })).nullish(),
});
export type WireFunctionResponse = z.output<typeof functionResponseSchema>;

export const partSchema = message({
  text: text,
  thought: flag,
  thoughtSignature: text,
  inlineData: blobSchema.nullish(),
  fileData: fileSchema.nullish(),
  functionCall: functionCallSchema.nullish(),
  functionResponse: functionResponseSchema.nullish(),
  executableCode: anything,
  codeExecutionResult: anything,
});
export type WirePart = z.output<typeof partSchema>;

export const contentSchema = message({ role: text, parts: z.array(partSchema).nullish() });
export type WireContent = z.output<typeof contentSchema>;

const functionDeclarationSchema = message({
  name: z.string(),
  description: text,
  parameters: anything,
  parametersJsonSchema: anything,
});
export type WireFunction = z.output<typeof functionDeclarationSchema>;

export const toolSchema = message({ functionDeclarations: z.array(functionDeclarationSchema).nullish() });

const thinkingSchema = message({ thinkingBudget: count, thinkingLevel: text, includeThoughts: flag });

const generationConfigSchema = message({
  maxOutputTokens: count,
  temperature: count,
  topP: count,
  topK: count,
  stopSequences: z.array(z.string()).nullish(),
  seed: count,
  presencePenalty: count,
  frequencyPenalty: count,
  candidateCount: count,
  responseLogprobs: flag,
  logprobs: count,
  responseMimeType: text,
  responseSchema: anything,
  responseJsonSchema: anything,
  responseModalities: z.array(z.string()).nullish(),
  thinkingConfig: thinkingSchema.nullish(),
});
export type WireGenerationConfig = z.output<typeof generationConfigSchema>;
/** Members of `generationConfig` that have a place in the exchange form. */
export const knownConfig: ReadonlySet<string> = new Set([
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "stopSequences",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "candidateCount",
  "responseLogprobs",
  "logprobs",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseModalities",
  "thinkingConfig",
]);

const toolConfigSchema = message({
  functionCallingConfig: message({
    mode: text,
    allowedFunctionNames: z.array(z.string()).nullish(),
  }).nullish(),
});

export const requestSchema = message({
  model: text,
  contents: z.union([z.array(contentSchema), contentSchema]).nullish(),
  systemInstruction: z.union([z.string(), contentSchema]).nullish(),
  tools: z.union([z.array(toolSchema), toolSchema]).nullish(),
  toolConfig: toolConfigSchema.nullish(),
  generationConfig: generationConfigSchema.nullish(),
  labels: z.record(z.string(), z.string()).nullish(),
});
export type WireRequest = z.output<typeof requestSchema>;
/** Top-level members that have a place in the exchange form. */
export const knownMembers: ReadonlySet<string> = new Set([
  "model",
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "labels",
]);

const usageSchema = message({
  promptTokenCount: count,
  toolUsePromptTokenCount: count,
  cachedContentTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
});
export type WireUsage = z.output<typeof usageSchema>;

const segmentSchema = message({ partIndex: count, startIndex: count, endIndex: count, text: text });
const groundingSchema = message({
  groundingChunks: z.array(message({ web: message({ uri: text, title: text }).nullish() })).nullish(),
  groundingSupports: z
    .array(
      message({ segment: segmentSchema.nullish(), groundingChunkIndices: z.array(z.number()).nullish() }),
    )
    .nullish(),
});
export type WireGrounding = z.output<typeof groundingSchema>;

const candidateSchema = message({
  index: count,
  content: contentSchema.nullish(),
  finishReason: text,
  finishMessage: text,
  groundingMetadata: groundingSchema.nullish(),
  logprobsResult: anything,
});
export type WireCandidate = z.output<typeof candidateSchema>;

export const responseSchema = message({
  candidates: z.array(candidateSchema).nullish(),
  promptFeedback: message({ blockReason: text, blockReasonMessage: text }).nullish(),
  usageMetadata: usageSchema.nullish(),
  modelVersion: text,
  responseId: text,
  error: anything,
});
export type WireResponse = z.output<typeof responseSchema>;

export const errorSchema = message({
  code: z.union([z.number(), z.string()]).nullish(),
  message: text,
  status: text,
  details: z
    .array(
      z.looseObject({
        "@type": text,
        reason: text,
        retryDelay: text,
        violations: z.array(z.looseObject({ quotaId: text })).nullish(),
      }),
    )
    .nullish(),
});
