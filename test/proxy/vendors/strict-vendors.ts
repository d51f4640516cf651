import type { Hit } from "../../support/fake-upstream.ts";
import type { Json } from "../translate/harness.ts";

/**
 * Stand-ins for vendors' chat APIs. Each accepts the members that the vendor's documentation lists, rejects every other
 * one as the vendor does, and responds in the vendor's own form.
 */
export interface StrictVendor {
  readonly vendor: string;
  readonly model: string;
  /** The path below the host, as the vendor documents it. */
  readonly path: string;
  /** Accepted top-level members besides `model`, `messages`, `stream`, `tools` and `max_tokens`. */
  readonly members: readonly string[];
  /** Accepted members of an assistant message besides `role`, `content` and `tool_calls`. */
  readonly assistant?: readonly string[];
  readonly maxTokens?: string;
  readonly maxTemperature?: number;
  readonly maxStop?: number;
  /** Accepted texts of `tool_choice`, and `function` for a named function. */
  readonly choices: readonly string[];
  readonly formats: readonly string[];
  readonly takesNames?: boolean;
  /** The vendor's own members in the message, the choice and the response. */
  readonly message?: Json;
  readonly choice?: Json;
  readonly response?: Json;
  readonly callId?: string;
  readonly finish?: string;
  readonly usage?: Json;
  /** Whether a stream reports usage without `stream_options`. */
  readonly usageUnasked?: boolean;
  /** Text before the first event of a stream. */
  readonly preamble?: string;
  /** Whether a system message must be the first one, and a user message cannot follow a tool result. */
  readonly isStrictOrder?: boolean;
}

const SAMPLING = ["temperature", "top_p", "stop", "stream_options", "tool_choice", "response_format"];
const PENALTIES = ["frequency_penalty", "presence_penalty"];
const ALL_CHOICES = ["auto", "none", "required", "function"];
const ALL_FORMATS = ["json_object", "json_schema"];
const OPENAI = [
  ...SAMPLING,
  ...PENALTIES,
  "seed",
  "n",
  "logprobs",
  "top_logprobs",
  "logit_bias",
  "user",
  "parallel_tool_calls",
];

export const strictVendors: readonly StrictVendor[] = [
  {
    vendor: "mistral",
    model: "mistral-large-latest",
    path: "/v1/chat/completions",
    members: [
      ...SAMPLING.filter((name) => name !== "stream_options"),
      ...PENALTIES,
      "random_seed",
      "n",
      "parallel_tool_calls",
      "metadata",
      "prompt_cache_key",
      "safe_prompt",
      "prediction",
    ],
    assistant: ["prefix"],
    maxTemperature: 1.5,
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    callId: "D681PevKs",
    usageUnasked: true,
    isStrictOrder: true,
  },
  {
    vendor: "groq",
    model: "moonshotai/kimi-k2-instruct",
    path: "/openai/v1/chat/completions",
    members: [
      ...SAMPLING,
      ...PENALTIES,
      "seed",
      "user",
      "parallel_tool_calls",
      "service_tier",
      "reasoning_effort",
    ],
    assistant: ["reasoning"],
    maxTokens: "max_completion_tokens",
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    takesNames: false,
    message: { reasoning: "Weather is asked." },
    response: { x_groq: { id: "req_1" }, service_tier: "on_demand", usage_breakdown: null },
  },
  {
    vendor: "deepseek",
    model: "deepseek-chat",
    path: "/v1/chat/completions",
    members: [
      ...SAMPLING,
      ...PENALTIES,
      "logprobs",
      "top_logprobs",
      "thinking",
      "reasoning_effort",
      "seed",
      "n",
      "user",
      "logit_bias",
      "parallel_tool_calls",
    ],
    assistant: ["reasoning_content", "prefix", "name"],
    choices: ALL_CHOICES,
    formats: ["json_object"],
    message: { reasoning_content: "Weather is asked." },
    usage: { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
  },
  {
    vendor: "xai",
    model: "grok-4",
    path: "/v1/chat/completions",
    members: [
      ...SAMPLING.filter((name) => name !== "stop"),
      "seed",
      "n",
      "logprobs",
      "top_logprobs",
      "user",
      "parallel_tool_calls",
      "search_parameters",
    ],
    assistant: ["reasoning_details", "name"],
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    message: { reasoning_content: "Weather is asked.", refusal: null },
    usage: { num_sources_used: 0, completion_tokens_details: { reasoning_tokens: 40 } },
  },
  {
    vendor: "together",
    model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    path: "/v1/chat/completions",
    members: [...OPENAI, "top_k", "min_p", "repetition_penalty", "echo", "reasoning_effort"],
    assistant: ["reasoning_details", "name"],
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    finish: "eos",
    choice: { seed: 1_234, text: "" },
    response: { prompt: [] },
  },
  {
    vendor: "fireworks",
    model: "accounts/fireworks/models/qwen3-coder-480b-a35b-instruct",
    path: "/inference/v1/chat/completions",
    members: [...OPENAI, "top_k", "context_length_exceeded_behavior", "reasoning_effort", "prompt_cache_key"],
    assistant: ["reasoning_content", "reasoning_details", "name"],
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
  },
  {
    vendor: "cerebras",
    model: "gpt-oss-120b",
    path: "/v1/chat/completions",
    members: [
      ...SAMPLING,
      "seed",
      "logprobs",
      "top_logprobs",
      "user",
      "parallel_tool_calls",
      "reasoning_effort",
    ],
    assistant: ["reasoning"],
    maxTokens: "max_completion_tokens",
    maxTemperature: 1.5,
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    takesNames: false,
    message: { reasoning: "Weather is asked." },
    response: { time_info: { queue_time: 0.001, total_time: 0.05 } },
  },
  {
    vendor: "cohere",
    model: "command-a-03-2025",
    path: "/compatibility/v1/chat/completions",
    members: [...SAMPLING, ...PENALTIES, "seed", "logprobs", "reasoning_effort"],
    maxTemperature: 1,
    maxStop: 5,
    choices: ["none", "required"],
    formats: ALL_FORMATS,
    message: { content: "I will look up the weather." },
  },
  {
    vendor: "openrouter",
    model: "anthropic/claude-sonnet-4.5",
    path: "/api/v1/chat/completions",
    members: [
      ...OPENAI,
      "top_k",
      "reasoning",
      "include_reasoning",
      "provider",
      "models",
      "transforms",
      "usage",
      "prompt_cache_key",
      "service_tier",
      "modalities",
      "metadata",
    ],
    assistant: ["reasoning", "reasoning_details", "name"],
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    message: {
      reasoning: "Weather is asked.",
      reasoning_details: [
        { type: "reasoning.text", text: "Weather is asked.", format: "anthropic-claude-v1", index: 0 },
      ],
    },
    choice: { native_finish_reason: "tool_use" },
    response: { provider: "Anthropic" },
    preamble: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n",
  },
  {
    vendor: "moonshot",
    model: "kimi-k2-0905-preview",
    path: "/v1/chat/completions",
    members: [...SAMPLING, ...PENALTIES, "n", "seed", "thinking", "prompt_cache_key", "safety_identifier"],
    assistant: ["reasoning_content", "partial", "name"],
    maxTemperature: 1,
    maxStop: 5,
    choices: ["auto", "none"],
    formats: ["json_object"],
    message: { reasoning_content: "Weather is asked." },
    callId: "get_weather:0",
  },
  {
    vendor: "zai",
    model: "glm-4.7",
    path: "/api/paas/v4/chat/completions",
    members: [
      ...SAMPLING,
      ...PENALTIES,
      "do_sample",
      "thinking",
      "reasoning_effort",
      "tool_stream",
      "request_id",
      "user_id",
      "user",
    ],
    assistant: ["reasoning_content", "reasoning_details", "name"],
    maxTemperature: 1,
    maxStop: 1,
    choices: ["auto"],
    formats: ["json_object"],
    message: { reasoning_content: "Weather is asked." },
    response: { request_id: "20261101120000abcdef" },
  },
  {
    vendor: "github-models",
    model: "openai/gpt-4.1",
    path: "/inference/chat/completions",
    members: [...SAMPLING, ...PENALTIES, "seed", "parallel_tool_calls", "logprobs", "top_logprobs"],
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    message: { annotations: [], refusal: null },
    choice: { content_filter_results: {}, logprobs: null },
    response: { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
    preamble: `data: ${JSON.stringify({ choices: [], prompt_filter_results: [], id: "", object: "", created: 0, model: "" })}\n\n`,
  },
  {
    vendor: "ollama",
    model: "qwen3:8b",
    path: "/v1/chat/completions",
    members: [
      ...SAMPLING,
      ...PENALTIES,
      "seed",
      "logprobs",
      "top_logprobs",
      "reasoning_effort",
      "reasoning",
      "user",
      "parallel_tool_calls",
    ],
    assistant: ["reasoning", "reasoning_details", "name"],
    choices: ["auto", "none"],
    formats: ALL_FORMATS,
    message: { reasoning: "Weather is asked." },
    response: { system_fingerprint: "fp_ollama" },
    callId: "call_9gfz2k1a",
  },
  {
    vendor: "vllm",
    model: "Qwen/Qwen3-32B",
    path: "/v1/chat/completions",
    members: [...OPENAI, "top_k", "min_p", "reasoning_effort", "chat_template_kwargs", "prompt_cache_key"],
    assistant: ["reasoning_content", "reasoning", "reasoning_details", "name"],
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    message: { reasoning_content: null, refusal: null, function_call: null, audio: null },
    choice: { stop_reason: null, token_ids: null },
    response: { prompt_logprobs: null, kv_transfer_params: null },
    callId: "chatcmpl-tool-0123456789abcdef0123456789abcdef",
  },
  {
    vendor: "lmstudio",
    model: "qwen/qwen3-8b",
    path: "/v1/chat/completions",
    members: [...OPENAI, "top_k", "repeat_penalty", "reasoning_effort"],
    assistant: ["reasoning_content", "reasoning", "reasoning_details", "name"],
    choices: ["auto", "none", "required"],
    formats: ["json_schema"],
    response: { stats: {}, system_fingerprint: "qwen/qwen3-8b" },
    callId: "365174485",
  },
  {
    vendor: "llamacpp",
    model: "gpt-oss-20b",
    path: "/v1/chat/completions",
    members: [
      ...OPENAI,
      "top_k",
      "min_p",
      "reasoning_effort",
      "reasoning_format",
      "chat_template_kwargs",
      "cache_prompt",
      "prompt_cache_key",
    ],
    assistant: ["reasoning_content", "reasoning", "name"],
    choices: ALL_CHOICES,
    formats: ALL_FORMATS,
    message: { reasoning_content: "Weather is asked." },
    response: { timings: { prompt_n: 1, predicted_n: 9 }, system_fingerprint: "b6000" },
  },
];

/** Returns why the vendor rejects this request; undefined if it accepts it. */
export function findRejection(vendor: StrictVendor, hit: Pick<Hit, "url" | "body">): string | undefined {
  const body = JSON.parse(hit.body.toString()) as Json;
  const limit = vendor.maxTokens ?? "max_tokens";
  const known = new Set(["model", "messages", "stream", "tools", limit, ...vendor.members]);
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (hit.url !== vendor.path) return `no route ${hit.url}`;
  if (unknown !== undefined) return `property '${unknown}' is unsupported`;
  if (body["model"] !== vendor.model) return `model ${String(body["model"])} not found`;
  if (Number(body["temperature"] ?? 0) > (vendor.maxTemperature ?? 2)) return "temperature is too high";
  if (((body["stop"] as unknown[] | undefined)?.length ?? 0) > (vendor.maxStop ?? 4)) return "too many stops";
  const choice = body["tool_choice"];
  const form = typeof choice === "string" ? choice : "function";
  if (choice !== undefined && !vendor.choices.includes(form)) return `tool_choice ${form} is unsupported`;
  const format = (body["response_format"] as Json | undefined)?.["type"];
  if (format !== undefined && !vendor.formats.includes(String(format)))
    return `${String(format)} is unsupported`;
  return findMessageRejection(vendor, body["messages"] as readonly Json[]);
}

function findMessageRejection(vendor: StrictVendor, messages: readonly Json[]): string | undefined {
  const members: Readonly<Record<string, readonly string[]>> = {
    system: ["role", "content"],
    user: ["role", "content", ...(vendor.takesNames === false ? [] : ["name"])],
    assistant: ["role", "content", "tool_calls", ...(vendor.assistant ?? [])],
    tool: ["role", "content", "tool_call_id", "name"],
  };
  for (const [index, message] of messages.entries()) {
    const order = vendor.isStrictOrder && findMisplacedRole(message["role"], messages[index - 1]?.["role"]);
    if (order) return order;
    const known = members[String(message["role"])] ?? [];
    const unknown = Object.keys(message).find((name) => !known.includes(name));
    if (unknown !== undefined) return `'messages.${index}': property '${unknown}' is unsupported`;
  }
  return undefined;
}

/** Returns Mistral's error for a role that cannot follow another. */
function findMisplacedRole(role: unknown, before: unknown): string | undefined {
  const isOut = role === "system" ? before !== undefined : role === "user" && before === "tool";
  return isOut ? `Unexpected role '${String(role)}' after role '${String(before)}'` : undefined;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** Returns the vendor's response, which calls `get_weather`, or its stream. */
export function respondAs(vendor: StrictVendor, body: Json): string {
  const call = {
    id: vendor.callId ?? "call_abc123",
    index: 0,
    type: "function",
    function: { name: "get_weather", arguments: '{"city": "Paris"}' },
  };
  const usage = { ...USAGE, ...vendor.usage };
  const head = { id: "x1", created: 1_760_000_000, model: body["model"], ...vendor.response };
  const finish_reason = vendor.finish ?? "tool_calls";
  const message = { role: "assistant", content: null, ...vendor.message, tool_calls: [call] };
  if (body["stream"] !== true) {
    const choices = [{ index: 0, message, finish_reason, ...vendor.choice }];
    return JSON.stringify({ ...head, object: "chat.completion", choices, usage });
  }
  const asked = vendor.usageUnasked === true || body["stream_options"] !== undefined;
  const { tool_calls: _, ...members } = message;
  const chunks: Json[] = [
    { delta: members, finish_reason: null },
    {
      delta: { tool_calls: [{ ...call, function: { ...call.function, arguments: "" } }] },
      finish_reason: null,
    },
    { delta: { tool_calls: [{ index: 0, function: { arguments: '{"city": ' } }] }, finish_reason: null },
    { delta: { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] }, finish_reason: null },
    { delta: {}, finish_reason, ...vendor.choice },
  ].map((choice) => ({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] }));
  if (asked) chunks.push({ ...head, object: "chat.completion.chunk", choices: [], usage });
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return `${vendor.preamble ?? ""}${events.join("")}data: [DONE]\n\n`;
}
