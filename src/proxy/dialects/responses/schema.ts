import { z } from "zod";
import { efforts } from "../../exchange/reasoning-effort.ts";
import { createRecordSchema } from "../shared/record-schema.ts";

/**
 * Schemas of the members that the codec reads (https://platform.openai.com/docs/api-reference/responses). Objects
 * except stream events keep unknown members, because the vendor adds members at any time.
 */

const count = z.number().nullish();
const text = z.string().nullish();

export const requestSchema = z.looseObject({
  model: text,
  input: z.union([z.string(), z.array(z.unknown())]).nullish(),
  instructions: z.union([z.string(), z.array(z.unknown())]).nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.number().int().positive().nullish(),
  temperature: count,
  top_p: count,
  top_logprobs: count,
  presence_penalty: count,
  frequency_penalty: count,
  background: z.boolean().nullish(),
  reasoning: z
    .looseObject({
      effort: z.enum(efforts).nullish(),
      summary: text,
      generate_summary: text,
    })
    .nullish(),
  text: z.looseObject({ format: z.unknown().optional(), verbosity: text }).nullish(),
  include: z.array(z.string()).nullish(),
  previous_response_id: text,
  store: z.boolean().nullish(),
  metadata: createRecordSchema(z.string()).nullish(),
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  service_tier: text,
});

export const formatSchema = z.looseObject({
  type: z.string(),
  name: text,
  description: text,
  schema: z.unknown().optional(),
  strict: z.boolean().nullish(),
});

export const toolSchema = z.looseObject({
  type: z.string(),
  name: text,
  description: text,
  parameters: z.unknown().optional(),
  strict: z.boolean().nullish(),
  format: z.unknown().optional(),
  function: z
    .looseObject({
      name: z.string(),
      description: text,
      parameters: z.unknown().optional(),
      strict: z.boolean().nullish(),
    })
    .nullish(),
  tools: z.array(z.unknown()).nullish(),
});

export const toolChoiceSchema = z.union([
  z.string(),
  z.looseObject({
    type: z.string(),
    name: text,
    mode: text,
    function: z.looseObject({ name: z.string() }).nullish(),
    tools: z.array(z.looseObject({ type: z.string(), name: text })).nullish(),
  }),
]);

export const annotationSchema = z.looseObject({
  type: z.string(),
  url: text,
  title: text,
  start_index: count,
  end_index: count,
  filename: text,
  file_id: text,
});

const contentSchema = z.looseObject({
  type: z.string(),
  text,
  refusal: text,
  annotations: z.array(annotationSchema).nullish(),
  logprobs: z.unknown().optional(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).nullish(),
  detail: text,
  file_id: text,
  file_data: text,
  file_url: text,
  filename: text,
  input_audio: z.looseObject({ data: z.string(), format: z.string() }).nullish(),
});
export type WireContent = z.output<typeof contentSchema>;

const contents = z.union([z.string(), z.array(contentSchema)]).nullish();

export const messageSchema = z.looseObject({
  id: text,
  role: z.enum(["user", "assistant", "system", "developer"]),
  content: contents,
  phase: text,
});

export const functionCallSchema = z.looseObject({
  id: text,
  call_id: z.string(),
  name: z.string(),
  namespace: text,
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
});

export const customCallSchema = z.looseObject({
  id: text,
  call_id: z.string(),
  name: z.string(),
  input: text,
});

export const callOutputSchema = z.looseObject({ call_id: z.string(), output: contents });

export const reasoningSchema = z.looseObject({
  id: text,
  summary: z.array(z.looseObject({ text })).nullish(),
  content: z.array(z.looseObject({ text })).nullish(),
  encrypted_content: text,
});
export type WireReasoning = z.output<typeof reasoningSchema>;

/** An item of `input` or `output`. An item without a type is a message. */
export const itemSchema = z.looseObject({ type: text });

/** An item of type `configuration_update`. */
export const updateSchema = z.looseObject({
  reasoning: z.looseObject({ effort: z.enum(efforts).nullish() }).nullish(),
});

const usageSchema = z.looseObject({
  input_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count }).nullish(),
  output_tokens: count,
  output_tokens_details: z.looseObject({ reasoning_tokens: count }).nullish(),
  total_tokens: count,
});

const responseErrorSchema = z.looseObject({
  code: z.union([z.string(), z.number()]).nullish(),
  message: text,
  type: text,
  param: text,
});

export const responseSchema = z.looseObject({
  id: text,
  model: text,
  created_at: count,
  status: text,
  error: responseErrorSchema.nullish(),
  incomplete_details: z.looseObject({ reason: text }).nullish(),
  output: z.array(itemSchema).nullish(),
  service_tier: text,
  usage: usageSchema.nullish(),
});
export type WireResponse = z.output<typeof responseSchema>;

/** An event of a stream. It drops unknown members, which saves time: a stream has thousands of events. */
export const eventSchema = z.object({
  type: z.string(),
  output_index: count,
  content_index: count,
  summary_index: count,
  delta: text,
  text,
  refusal: text,
  arguments: text,
  input: text,
  item: itemSchema.nullish(),
  logprobs: z.unknown().optional(),
  annotation: z.unknown().optional(),
  response: responseSchema.nullish(),
  error: responseErrorSchema.nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  message: text,
});
export type WireStreamEvent = z.output<typeof eventSchema>;
