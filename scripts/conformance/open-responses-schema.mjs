// The schemas of Open Responses 2026-04-24 (https://www.openresponses.org/openapi/openapi.json), as its compliance
// suite applies them: required members must be present; unknown members are allowed, but not unknown types of items and
// events.
import { z } from "zod";

const integer = z.int();
const text = z.string();
const orNull = (schema) => z.union([schema, z.null()]);
const logprob = z.looseObject({ token: text, logprob: z.number(), bytes: z.array(integer) });
const logprobs = z.array(logprob.extend({ top_logprobs: z.array(logprob) }));
const annotation = z.looseObject({
  type: z.literal("url_citation"),
  url: text,
  start_index: integer,
  end_index: integer,
  title: text,
});
const detail = z.enum(["low", "high", "auto"]);

const part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("input_text"), text }),
  z.looseObject({
    type: z.literal("output_text"),
    text,
    annotations: z.array(annotation),
    logprobs: logprobs.optional(),
  }),
  z.looseObject({ type: z.literal("text"), text }),
  z.looseObject({ type: z.literal("summary_text"), text }),
  z.looseObject({ type: z.literal("reasoning_text"), text }),
  z.looseObject({ type: z.literal("refusal"), refusal: text }),
  z.looseObject({ type: z.literal("input_image"), image_url: orNull(text), detail }),
  z.looseObject({ type: z.literal("input_file"), filename: text.optional(), file_url: text.optional() }),
]);
const status = z.enum(["in_progress", "completed", "incomplete"]);
const call = { id: text, call_id: text, status };

export const item = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("message"),
    id: text,
    status,
    role: z.enum(["user", "assistant", "system", "developer"]),
    content: z.array(part),
    phase: z.enum(["commentary", "final_answer"]).optional(),
  }),
  z.looseObject({ type: z.literal("function_call"), ...call, name: text, arguments: text }),
  z.looseObject({
    type: z.literal("function_call_output"),
    ...call,
    output: z.union([text, z.array(part)]),
  }),
  z.looseObject({
    type: z.literal("reasoning"),
    id: text,
    content: z.array(part).optional(),
    summary: z.array(part),
    encrypted_content: text.optional(),
  }),
  z.looseObject({
    type: z.literal("compaction"),
    id: text,
    encrypted_content: text,
    created_by: text.optional(),
  }),
]);

const usage = z.looseObject({
  input_tokens: integer,
  output_tokens: integer,
  total_tokens: integer,
  input_tokens_details: z.looseObject({ cached_tokens: integer }),
  output_tokens_details: z.looseObject({ reasoning_tokens: integer }),
});
const tool = z.looseObject({
  type: z.literal("function"),
  name: text,
  description: orNull(text),
  parameters: orNull(z.record(text, z.unknown())),
  strict: orNull(z.boolean()),
});
const mode = z.enum(["none", "auto", "required"]);
const namedTool = z.looseObject({ type: z.literal("function"), name: text.optional() });
const format = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    name: text,
    description: orNull(text),
    schema: z.unknown(),
    strict: z.boolean(),
  }),
]);

/** The response object: every member is required. */
export const response = z.looseObject({
  id: text,
  object: z.literal("response"),
  created_at: integer,
  completed_at: orNull(integer),
  status: text,
  incomplete_details: orNull(z.looseObject({ reason: text })),
  model: text,
  previous_response_id: orNull(text),
  instructions: orNull(text),
  output: z.array(item),
  error: orNull(z.looseObject({ code: text, message: text })),
  tools: z.array(tool),
  tool_choice: z.union([
    mode,
    namedTool,
    z.looseObject({ type: z.literal("allowed_tools"), tools: z.array(namedTool), mode }),
  ]),
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format, verbosity: z.enum(["low", "medium", "high"]).optional() }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: integer,
  temperature: z.number(),
  reasoning: orNull(z.looseObject({ effort: orNull(text), summary: orNull(text) })),
  usage: orNull(usage),
  max_output_tokens: orNull(integer),
  max_tool_calls: orNull(integer),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: text,
  metadata: z.unknown(),
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
});

export const compaction = z.looseObject({
  id: text,
  object: z.literal("response.compaction"),
  output: z.array(item),
  created_at: integer,
  usage,
});

const at = { sequence_number: integer };
const inItem = { ...at, item_id: text, output_index: integer };
const inContent = { ...inItem, content_index: integer };
const inSummary = { ...inItem, summary_index: integer };
const event = (type, members) => z.looseObject({ type: z.literal(type), ...members });
const snapshots = ["created", "queued", "in_progress", "completed", "failed", "incomplete"];
const events = [
  ...snapshots.map((name) => event(`response.${name}`, { ...at, response })),
  event("response.output_item.added", { ...at, output_index: integer, item: orNull(item) }),
  event("response.output_item.done", { ...at, output_index: integer, item: orNull(item) }),
  event("response.reasoning_summary_part.added", { ...inSummary, part }),
  event("response.reasoning_summary_part.done", { ...inSummary, part }),
  event("response.content_part.added", { ...inContent, part }),
  event("response.content_part.done", { ...inContent, part }),
  event("response.output_text.delta", { ...inContent, delta: text, logprobs: logprobs.optional() }),
  event("response.output_text.done", { ...inContent, text, logprobs: logprobs.optional() }),
  event("response.refusal.delta", { ...inContent, delta: text }),
  event("response.refusal.done", { ...inContent, refusal: text }),
  event("response.reasoning.delta", { ...inContent, delta: text }),
  event("response.reasoning.done", { ...inContent, text }),
  event("response.reasoning_summary_text.delta", { ...inSummary, delta: text }),
  event("response.reasoning_summary_text.done", { ...inSummary, text }),
  event("response.output_text.annotation.added", {
    ...inContent,
    annotation_index: integer,
    annotation: orNull(annotation),
  }),
  event("response.function_call_arguments.delta", { ...inItem, delta: text }),
  event("response.function_call_arguments.done", { ...inItem, arguments: text }),
];
const errorPayload = z.looseObject({
  type: text,
  code: orNull(text),
  message: text,
  param: orNull(text),
});

/** An event of a stream over HTTP. */
export const httpEvent = z.discriminatedUnion("type", [
  ...events,
  event("error", { ...at, error: errorPayload }),
]);

/** An event of a WebSocket, whose errors have a status. */
export const webSocketEvent = z.discriminatedUnion("type", [
  ...events,
  event("error", { status: integer, error: z.looseObject({ code: text, message: text }) }),
]);
