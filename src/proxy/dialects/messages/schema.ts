import { z } from "zod";

/**
 * Schemas of the members that the codec reads (https://docs.anthropic.com/en/api/messages). Loose objects keep unknown
 * members, and all other objects drop them.
 */
const text = z.string().nullish();
const number = z.number().nullish();
const count = z.number().int().nullish();

const blockSchema = z.looseObject({ type: z.string() });
export type WireBlock = z.infer<typeof blockSchema>;

export const sourceSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  z.looseObject({ type: z.literal("url"), url: z.string() }),
  z.looseObject({ type: z.literal("file"), file_id: z.string() }),
  z.looseObject({ type: z.literal("text"), data: z.string() }),
  z.looseObject({ type: z.literal("content"), content: z.union([z.string(), z.array(blockSchema)]) }),
]);

export const textBlock = z.object({ text: z.string(), citations: z.array(z.unknown()).nullish() });
export const imageBlock = z.object({ source: sourceSchema });
export const documentBlock = z.looseObject({
  source: sourceSchema,
  title: text,
  context: text,
  citations: z.looseObject({ enabled: z.boolean().nullish() }).nullish(),
});
export const searchResultBlock = z.looseObject({
  source: z.string(),
  title: z.string(),
  content: z.array(blockSchema),
  citations: z.looseObject({ enabled: z.boolean().nullish() }).nullish(),
});
export const thinkingBlock = z.object({ thinking: z.string(), signature: text });
export const redactedBlock = z.object({ data: z.string() });
export const toolUseBlock = z.object({
  id: z.string(),
  name: z.string(),
  input: z.unknown().optional(),
});
export const toolResultBlock = z.object({
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(blockSchema)]).nullish(),
  is_error: z.boolean().nullish(),
});

const contentSchema = z.union([z.string(), z.array(blockSchema)]);

const messageSchema = z.object({
  role: z.enum(["user", "assistant", "system"]),
  content: contentSchema,
  output_config: z.looseObject({ effort: text }).nullish(),
  clear_at: text,
});

const toolSchema = z.looseObject({
  type: text,
  name: text,
  description: text,
  input_schema: z.unknown().optional(),
  strict: z.boolean().nullish(),
});
export type WireTool = z.infer<typeof toolSchema>;

export const toolChangeBlock = z.object({
  tool: z.looseObject({ type: z.string(), name: text, definition: toolSchema.nullish() }),
});

const formatSchema = z.looseObject({ type: z.string(), schema: z.unknown().optional() });

export const requestSchema = z.looseObject({
  model: z.string(),
  max_tokens: count,
  messages: z.array(messageSchema),
  system: contentSchema.nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z
    .looseObject({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: text,
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  temperature: number,
  top_p: number,
  top_k: count,
  thinking: z.looseObject({ type: z.string(), budget_tokens: count, display: text }).nullish(),
  output_config: z.looseObject({ effort: text, format: formatSchema.nullish() }).nullish(),
  output_format: formatSchema.nullish(),
  metadata: z.looseObject({ user_id: text }).nullish(),
  service_tier: text,
  cache_control: z.unknown().optional(),
  thread: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("create") }),
      z.looseObject({ type: z.literal("continue"), previous_message_id: z.string() }),
    ])
    .nullish(),
});
export type WireRequest = z.infer<typeof requestSchema>;

const usageSchema = z.looseObject({
  input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: count }).nullish(),
  output_tokens: count,
  output_tokens_details: z.looseObject({ thinking_tokens: count }).nullish(),
  service_tier: text,
});
export type WireUsage = z.infer<typeof usageSchema>;

const stopDetails = z.looseObject({ explanation: text }).nullish();

export const responseSchema = z.looseObject({
  id: text,
  model: text,
  content: z.array(blockSchema).nullish(),
  stop_reason: text,
  stop_sequence: text,
  stop_details: stopDetails,
  usage: usageSchema.nullish(),
});

export const eventSchema = z.looseObject({
  type: z.string(),
  index: z.number().nullish(),
  message: z.looseObject({ id: text, model: text, usage: usageSchema.nullish() }).nullish(),
  content_block: blockSchema.nullish(),
  delta: z
    .looseObject({
      type: text,
      text,
      thinking: text,
      signature: text,
      partial_json: text,
      citation: z.unknown().optional(),
      stop_reason: text,
      stop_sequence: text,
      stop_details: stopDetails,
    })
    .nullish(),
  usage: usageSchema.nullish(),
  error: z.unknown().optional(),
});
export type WireStreamEvent = z.infer<typeof eventSchema>;
