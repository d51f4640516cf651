import { isObject } from "../../exchange/json.ts";

type Members = Readonly<Record<string, unknown>>;

/** A response object before any output. */
export interface BlankResponse {
  readonly id: string;
  readonly object: "response";
  readonly created_at: number;
  readonly [member: string]: unknown;
}

/**
 * Returns the response object for a request body, without output and with all members that typed clients expect
 * (https://www.openresponses.org/reference).
 */
export function createBlankResponse(body: Members, id: string, status: string): BlankResponse {
  const { text, reasoning } = body;
  const or = (name: string, value: unknown) => body[name] ?? value;
  return {
    id,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    completed_at: null,
    status,
    background: or("background", false),
    error: null,
    incomplete_details: null,
    instructions: or("instructions", null),
    model: or("model", ""),
    previous_response_id: or("previous_response_id", null),
    output: [],
    tools: or("tools", []),
    tool_choice: or("tool_choice", "auto"),
    truncation: or("truncation", "disabled"),
    parallel_tool_calls: or("parallel_tool_calls", true),
    text: { format: { type: "text" }, ...(isObject(text) ? text : {}) },
    top_p: or("top_p", 1),
    temperature: or("temperature", 1),
    presence_penalty: or("presence_penalty", 0),
    frequency_penalty: or("frequency_penalty", 0),
    top_logprobs: or("top_logprobs", 0),
    reasoning: { effort: null, summary: null, ...(isObject(reasoning) ? reasoning : {}) },
    usage: null,
    max_output_tokens: or("max_output_tokens", null),
    max_tool_calls: or("max_tool_calls", null),
    store: or("store", true),
    service_tier: or("service_tier", "auto"),
    metadata: or("metadata", {}),
    safety_identifier: or("safety_identifier", null),
    prompt_cache_key: or("prompt_cache_key", null),
    user: or("user", null),
  };
}
