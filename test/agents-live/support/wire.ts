import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { ModelRequest, Reply } from "./model-fake.ts";

/**
 * The four dialects in their vendors' formats: server-sent events, or one JSON value if the client does not request a
 * stream.
 */

export type Dialect = "messages" | "chat-completions" | "responses" | "generative-language";

export function dialectOf(path: string): Dialect | undefined {
  if (/\/messages(\?|$)/.test(path)) return "messages";
  if (/\/chat\/completions(\?|$)/.test(path)) return "chat-completions";
  if (/\/responses(\?|$)/.test(path)) return "responses";
  return /:(streamG|g)enerateContent/.test(path) ? "generative-language" : undefined;
}

const turn = z.looseObject({
  role: z.string().optional(),
  type: z.string().optional(),
  content: z.unknown().optional(),
  parts: z.unknown().optional(),
});

/** The members of a request that the stand-in reads, for all four dialects. */
const requestBody = z.looseObject({
  model: z.string().optional(),
  stream: z.boolean().optional(),
  tools: z.array(z.unknown()).optional(),
  messages: z.array(turn).optional(),
  contents: z.array(turn).optional(),
  input: z.union([z.string().transform(() => []), z.array(turn)]).optional(),
});

export type RequestBody = z.infer<typeof requestBody>;

/** Throws for a request that every vendor would reject. */
export function parseBody(raw: string): RequestBody {
  return requestBody.parse(JSON.parse(raw));
}

/** Returns the number of tool results in the conversation. */
export function toolResultsOf(dialect: Dialect, { messages, contents, input }: RequestBody): number {
  if (dialect === "chat-completions") return count(messages, ({ role }) => role === "tool");
  if (dialect === "responses") {
    return count(input, ({ type }) => type === "function_call_output" || type === "custom_tool_call_output");
  }
  return (messages ?? contents ?? []).reduce(
    (sum, { content, parts }) =>
      sum +
      count(content, ({ type }) => type === "tool_result") +
      count(parts, (part) => "functionResponse" in part),
    0,
  );
}

function count(list: unknown, is: (item: object & { role?: unknown; type?: unknown }) => boolean): number {
  return Array.isArray(list)
    ? list.filter((item) => typeof item === "object" && item !== null && is(item)).length
    : 0;
}

/** Sends the response in the form that the request asks for. */
export function sendResponse(response: ServerResponse, request: ModelRequest, reply: Reply): void {
  const model = request.body.model ?? "fake-model";
  const id = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  const events = ENCODERS[request.dialect]({ id, model, reply });
  const streams =
    request.dialect === "generative-language" ? /:stream/.test(request.path) : request.body.stream;
  if (!streams) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(events.whole));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(
    events.stream.map(([name, data]) => `${name ? `event: ${name}\n` : ""}data: ${data}\n\n`).join(""),
  );
}

interface Turn {
  readonly id: string;
  readonly model: string;
  readonly reply: Reply;
}

interface Encoded {
  readonly stream: readonly (readonly [name: string | undefined, data: string])[];
  readonly whole: object;
}

const ENCODERS: Record<Dialect, (turn: Turn) => Encoded> = {
  messages,
  "chat-completions": chatCompletions,
  responses,
  "generative-language": generativeLanguage,
};

/** The prompt's tokens, if the script does not define them. */
const FEW_TOKENS = 10;

const callId = (id: string, index: number) => `call_${id}_${index}`;

function messages({ id, model, reply }: Turn): Encoded {
  const calls = reply.calls ?? [];
  const blocks = [
    ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
    ...calls.map(({ name, input }, index) => ({
      type: "tool_use",
      id: `toolu_${callId(id, index)}`,
      name,
      input,
    })),
  ];
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  const base = { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
  const usage = { input_tokens: reply.tokens ?? FEW_TOKENS, output_tokens: 5 };
  const events: object[] = [
    { type: "message_start", message: { ...base, content: [], stop_reason: null, usage } },
  ];
  for (const [index, block] of blocks.entries()) {
    const isText = "text" in block;
    events.push(
      {
        type: "content_block_start",
        index,
        content_block: isText ? { ...block, text: "" } : { ...block, input: {} },
      },
      {
        type: "content_block_delta",
        index,
        delta: isText
          ? { type: "text_delta", text: block.text }
          : { type: "input_json_delta", partial_json: JSON.stringify("input" in block ? block.input : {}) },
      },
      { type: "content_block_stop", index },
    );
  }
  events.push(
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  );
  return {
    stream: events.map((event) => ["type" in event ? String(event.type) : undefined, JSON.stringify(event)]),
    whole: { ...base, content: blocks, stop_reason, usage },
  };
}

function chatCompletions({ id, model, reply }: Turn): Encoded {
  const tool_calls = (reply.calls ?? []).map(({ name, input }, index) => ({
    index,
    id: callId(id, index),
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const finish_reason = tool_calls.length > 0 ? "tool_calls" : "stop";
  const base = { id: `chatcmpl-${id}`, created: 1, model };
  const prompt_tokens = reply.tokens ?? FEW_TOKENS;
  const usage = { prompt_tokens, completion_tokens: 5, total_tokens: prompt_tokens + 5 };
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
  const chunk = (delta: object, finish: string | null, more = {}) =>
    JSON.stringify({
      ...base,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
  return {
    stream: [
      [undefined, chunk(message, null)],
      [undefined, chunk({}, finish_reason)],
      [undefined, JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [], usage })],
      [undefined, "[DONE]"],
    ],
    whole: { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage },
  };
}

function responses({ id, model, reply }: Turn): Encoded {
  const output: Record<string, unknown>[] = [];
  if (reply.text !== undefined) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    output.push({ id: `msg_${id}`, type: "message", role: "assistant", status: "completed", content });
  }
  if (reply.compaction !== undefined)
    output.push({ id: `cmp_${id}`, type: "compaction", encrypted_content: reply.compaction });
  for (const [index, { name, input }] of (reply.calls ?? []).entries()) {
    const call = { call_id: callId(id, index), name, arguments: JSON.stringify(input), status: "completed" };
    output.push({ id: `fc_${id}_${index}`, type: "function_call", ...call });
  }
  const input_tokens = reply.tokens ?? FEW_TOKENS;
  const usage = {
    input_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + 5,
  };
  const base = {
    id: `resp_${id}`,
    object: "response",
    created_at: 1,
    model,
    error: null,
    incomplete_details: null,
  };
  const whole = { ...base, status: "completed", output, usage };
  const events: { type: string; [name: string]: unknown }[] = [
    { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
  ];
  for (const [output_index, item] of output.entries()) {
    const ids = { item_id: item["id"], output_index };
    events.push({ type: "response.output_item.added", output_index, item: opened(item) });
    if (item["type"] === "message") {
      const part = { type: "output_text", text: reply.text ?? "", annotations: [] };
      const at = { ...ids, content_index: 0 };
      events.push(
        { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
        { type: "response.output_text.delta", ...at, delta: part.text },
        { type: "response.output_text.done", ...at, text: part.text },
        { type: "response.content_part.done", ...at, part },
      );
    } else if (item["type"] === "function_call") {
      events.push(
        { type: "response.function_call_arguments.delta", ...ids, delta: item["arguments"] },
        { type: "response.function_call_arguments.done", ...ids, arguments: item["arguments"] },
      );
    }
    events.push({ type: "response.output_item.done", output_index, item });
  }
  events.push({ type: "response.completed", response: whole });
  return {
    stream: events.map((event, sequence_number) => [
      event.type,
      JSON.stringify({ ...event, sequence_number }),
    ]),
    whole,
  };
}

function opened(item: Record<string, unknown>): object {
  if (item["type"] === "message") return { ...item, status: "in_progress", content: [] };
  return item["type"] === "function_call" ? { ...item, status: "in_progress", arguments: "" } : item;
}

function generativeLanguage({ id, model, reply }: Turn): Encoded {
  const parts = [
    ...(reply.text === undefined ? [] : [{ text: reply.text }]),
    ...(reply.calls ?? []).map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ];
  const promptTokenCount = reply.tokens ?? FEW_TOKENS;
  const whole = {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount, candidatesTokenCount: 5, totalTokenCount: promptTokenCount + 5 },
    modelVersion: model,
    responseId: id,
  };
  return { stream: [[undefined, JSON.stringify(whole)]], whole };
}
