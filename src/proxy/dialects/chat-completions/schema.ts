import { z } from "zod";
import { createRecordSchema } from "../shared/record-schema.ts";

/**
 * Schemas of the members that the codec reads (https://platform.openai.com/docs/api-reference/chat). Loose objects keep
 * unknown members, and all other objects drop them.
 */
const partSchema = z.looseObject({ type: z.string() });
export type WirePart = z.infer<typeof partSchema>;

const contentSchema = z.union([z.string(), z.array(partSchema)]).nullish();

const toolCallSchema = z.looseObject({
  id: z.string().nullish(),
  type: z.string().nullish(),
  index: z.number().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
  custom: z.looseObject({ name: z.string().nullish(), input: z.string().nullish() }).nullish(),
  extra_content: z.unknown().optional(),
});
export type WireToolCall = z.infer<typeof toolCallSchema>;

const functionCallSchema = z.looseObject({ name: z.string().nullish(), arguments: z.unknown().optional() });

const messageSchema = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: contentSchema,
  name: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
  function_call: functionCallSchema.nullish(),
  tool_call_id: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.unknown().optional(),
  reasoning_details: z.array(z.unknown()).nullish(),
  cache_control: z.unknown().optional(),
  audio: z.looseObject({ id: z.string() }).nullish(),
  extra_content: z.unknown().optional(),
});
export type WireMessage = z.infer<typeof messageSchema>;

const toolSchema = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({
      name: z.string(),
      description: z.string().nullish(),
      parameters: z.unknown().optional(),
      strict: z.boolean().nullish(),
    })
    .optional(),
  custom: z
    .looseObject({ name: z.string(), description: z.string().nullish(), format: z.unknown().optional() })
    .optional(),
});
export type WireTool = z.infer<typeof toolSchema>;

const number = z.number().nullish();
const count = z.number().int().nullish();
const text = z.string().nullish();

export const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(messageSchema),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  functions: z
    .array(z.looseObject({ name: z.string(), description: text, parameters: z.unknown().optional() }))
    .nullish(),
  function_call: z.union([z.string(), z.looseObject({ name: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  max_tokens: count,
  max_completion_tokens: count,
  temperature: number,
  top_p: number,
  top_k: count,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: count,
  frequency_penalty: number,
  presence_penalty: number,
  n: count,
  logprobs: z.boolean().nullish(),
  top_logprobs: count,
  logit_bias: createRecordSchema(z.number()).nullish(),
  reasoning_effort: text,
  reasoning: z.looseObject({ effort: text, max_tokens: count, exclude: z.boolean().nullish() }).nullish(),
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  service_tier: text,
  verbosity: text,
  modalities: z.array(z.string()).nullish(),
  metadata: createRecordSchema(z.string()).nullish(),
  store: z.boolean().nullish(),
  web_search_options: z.looseObject({}).nullish(),
});
export type WireRequest = z.infer<typeof requestSchema>;

/**
 * A time in seconds. Any other value counts as absent, such as a time in nanoseconds, which `parseJson` returns as
 * `RawJson`.
 */
const timestamp = number.catch(undefined);

/** The token counts, which `decodeUsage` checks. */
const usageSchema = z.looseObject({});

const messageMembers = z.looseObject({
  content: contentSchema,
  refusal: text,
  tool_calls: z.array(toolCallSchema).nullish(),
  function_call: functionCallSchema.nullish(),
  reasoning_content: text,
  reasoning: z.unknown().optional(),
  reasoning_details: z.array(z.unknown()).nullish(),
  annotations: z.array(z.unknown()).nullish(),
  audio: z.looseObject({ data: text, format: text, transcript: text }).nullish(),
  images: z.array(partSchema).nullish(),
  extra_content: z.unknown().optional(),
});
export type WireResponseMessage = Readonly<z.infer<z.ZodObject<typeof messageMembers.shape>>>;

const choiceSchema = z.looseObject({
  index: z.number().nullish(),
  message: messageMembers.nullish(),
  finish_reason: text,
  logprobs: z.unknown().optional(),
});
export type WireChoice = z.infer<typeof choiceSchema>;

export const responseSchema = z.looseObject({
  id: text,
  created: timestamp,
  model: text,
  choices: z.array(choiceSchema),
  service_tier: text,
  usage: usageSchema.nullish(),
  citations: z.unknown().optional(),
  search_results: z.unknown().optional(),
});

/** The schema of a choice in a chunk. It drops unknown members, which saves time: a stream has thousands of chunks. */
const deltaSchema = z.object({
  index: z.number().nullish(),
  delta: z.object(messageMembers.shape).nullish(),
  message: z.object(messageMembers.shape).nullish(),
  finish_reason: text,
  logprobs: z.unknown().optional(),
  usage: usageSchema.nullish(),
});
export type WireDelta = z.infer<typeof deltaSchema>;

export const chunkSchema = z.object({
  id: text,
  created: timestamp,
  model: text,
  choices: z.array(deltaSchema).nullish(),
  service_tier: text,
  usage: usageSchema.nullish(),
  x_groq: z.object({ usage: usageSchema.nullish() }).nullish(),
  citations: z.unknown().optional(),
  search_results: z.unknown().optional(),
});
export type WireChunk = z.infer<typeof chunkSchema>;
