import { z } from "zod";
import { createRecordSchema } from "../shared/record-schema.ts";

/**
 * Schemas of the members that the codec reads (https://ai.google.dev/api/generate-content). Objects keep unknown
 * members. `camel-keys.ts` renames snake_case members before validation.
 */

const count = z.number().nullish();
const text = z.string().nullish();
const flag = z.boolean().nullish();
const anything = z.unknown().optional();

const blobSchema = z.looseObject({ mimeType: text, data: z.string(), displayName: text });
const fileSchema = z.looseObject({ mimeType: text, fileUri: z.string(), displayName: text });

const partialArgSchema = z.looseObject({
  jsonPath: z.string(),
  stringValue: text,
  numberValue: count,
  boolValue: flag,
  nullValue: anything,
  willContinue: flag,
});
export type WirePartialArg = z.output<typeof partialArgSchema>;

const functionCallSchema = z.looseObject({
  id: text,
  name: text,
  args: anything,
  partialArgs: z.array(partialArgSchema).nullish(),
  willContinue: flag,
});

const functionResponseSchema = z.looseObject({
  id: text,
  name: z.string(),
  response: anything,
  parts: z
    .array(z.looseObject({ inlineData: blobSchema.nullish(), fileData: fileSchema.nullish() }))
    .nullish(),
});
export type WireFunctionResponse = z.output<typeof functionResponseSchema>;

const partSchema = z.looseObject({
  text,
  thought: flag,
  thoughtSignature: text,
  inlineData: blobSchema.nullish(),
  fileData: fileSchema.nullish(),
  functionCall: functionCallSchema.nullish(),
  functionResponse: functionResponseSchema.nullish(),
  executableCode: anything,
  codeExecutionResult: anything,
  mediaResolution: anything,
});
export type WirePart = z.output<typeof partSchema>;

/** A list of parts, or a single part, which the vendor accepts as well. */
const partsSchema = z.union([z.array(partSchema), partSchema.transform((part) => [part])]);
const contentSchema = z.looseObject({ role: text, parts: partsSchema.nullish() });
export type WireContent = z.output<typeof contentSchema>;

const functionDeclarationSchema = z.looseObject({
  name: z.string(),
  description: text,
  parameters: anything,
  parametersJsonSchema: anything,
});
export type WireFunction = z.output<typeof functionDeclarationSchema>;

const toolSchema = z.looseObject({
  functionDeclarations: z.array(functionDeclarationSchema).nullish(),
});

const thinkingSchema = z.looseObject({ thinkingBudget: count, thinkingLevel: text, includeThoughts: flag });

const generationConfigSchema = z.looseObject({
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
/** Members of `generationConfig` with an equivalent in the exchange. */
export const knownConfig: ReadonlySet<string> = new Set(Object.keys(generationConfigSchema.shape));

const toolConfigSchema = z.looseObject({
  functionCallingConfig: z
    .looseObject({
      mode: text,
      allowedFunctionNames: z.array(z.string()).nullish(),
    })
    .nullish(),
});

export const requestSchema = z.looseObject({
  model: text,
  contents: z.union([z.array(contentSchema), contentSchema]).nullish(),
  systemInstruction: z.union([z.string(), contentSchema]).nullish(),
  tools: z.union([z.array(toolSchema), toolSchema]).nullish(),
  toolConfig: toolConfigSchema.nullish(),
  generationConfig: generationConfigSchema.nullish(),
  labels: createRecordSchema(z.string()).nullish(),
});
export type WireRequest = z.output<typeof requestSchema>;
/** Top-level members with an equivalent in the exchange. */
export const knownMembers: ReadonlySet<string> = new Set(Object.keys(requestSchema.shape));

const usageSchema = z.looseObject({
  promptTokenCount: count,
  toolUsePromptTokenCount: count,
  cachedContentTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
});
export type WireUsage = z.output<typeof usageSchema>;

const segmentSchema = z.looseObject({ partIndex: count, startIndex: count, endIndex: count, text });
const groundingSchema = z.looseObject({
  webSearchQueries: z.array(z.string()).nullish(),
  groundingChunks: z.array(z.record(z.string(), z.unknown())).nullish(),
  groundingSupports: z
    .array(
      z.looseObject({
        segment: segmentSchema.nullish(),
        groundingChunkIndices: z.array(z.number()).nullish(),
      }),
    )
    .nullish(),
});
export type WireGrounding = z.output<typeof groundingSchema>;

const tokenSchema = z.looseObject({ token: text, logProbability: count });
const logprobsSchema = z.looseObject({
  chosenCandidates: z.array(tokenSchema).nullish(),
  topCandidates: z.array(z.looseObject({ candidates: z.array(tokenSchema).nullish() })).nullish(),
});
export type WireLogprobs = z.output<typeof logprobsSchema>;

const quotedSchema = z.looseObject({ uri: text, title: text, startIndex: count, endIndex: count });
/** The citations of a candidate: `citationSources` in the vendor's reference, `citations` in its SDKs. */
const citationSchema = z.looseObject({
  citations: z.array(quotedSchema).nullish(),
  citationSources: z.array(quotedSchema).nullish(),
});
export type WireCitations = z.output<typeof citationSchema>;

const candidateSchema = z.looseObject({
  index: count,
  content: contentSchema.nullish(),
  finishReason: text,
  finishMessage: text,
  groundingMetadata: groundingSchema.nullish(),
  citationMetadata: citationSchema.nullish(),
  logprobsResult: logprobsSchema.nullish(),
  urlContextMetadata: z.looseObject({ urlMetadata: z.array(z.unknown()).nullish() }).nullish(),
});
export type WireCandidate = z.output<typeof candidateSchema>;

export const responseSchema = z.looseObject({
  candidates: z.array(candidateSchema).nullish(),
  promptFeedback: z.looseObject({ blockReason: text, blockReasonMessage: text }).nullish(),
  usageMetadata: usageSchema.nullish(),
  modelVersion: text,
  responseId: text,
  error: anything,
});
export type WireResponse = z.output<typeof responseSchema>;

export const errorSchema = z.looseObject({
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
