import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject, stringifyJson } from "../../exchange/json.ts";
import type { Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../exchange/parts.ts";
import type { Turn } from "../../exchange/request.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { createCallId } from "../../exchange/tool-call-id.ts";
import { decodeCacheControl } from "../shared/cache-control.ts";
import { decodeContent } from "./decode-content.ts";
import { googleSignature, signText } from "./google-signatures.ts";
import { decodeReasoningDetail } from "./reasoning-details.ts";
import type { WireMessage, WireToolCall } from "./schema.ts";

/** Converts the leading system and developer messages to instructions, and all other messages to turns. */
export function* decodeMessages(
  messages: readonly WireMessage[],
): Steps<{ instructions: Part[]; turns: Turn[] }> {
  const instructions: Part[] = [];
  const turns: Turn[] = [];
  const lastCalls = new Map<string, ToolCallPart>();
  /** The parts of the last turn if the last message was a tool result. */
  let results: Part[] | undefined;
  for (const [index, message] of messages.entries()) {
    if (isPauseDue()) yield;
    const path = `messages[${index}]`;
    const content = yield* decodeContent(message.content, `${path}.content`);
    if (message.role === "system" || message.role === "developer") {
      const parts = withCacheBreakpoint(content, message);
      if (turns.length === 0) for (const part of parts) instructions.push(part);
      else turns.push({ role: "system", parts });
      results = undefined;
      continue;
    }
    if (message.role === "assistant") {
      const parts = withCacheBreakpoint(yield* decodeAssistant(message, content, index), message);
      for (const part of parts) if (part.type === "tool-call") lastCalls.set(part.name, part);
      turns.push(named({ role: "assistant", parts }, message));
      results = undefined;
      continue;
    }
    const isResult = message.role !== "user";
    const parts = isResult
      ? withCacheBreakpoint([decodeResult(message, content, path, lastCalls)], message)
      : withCacheBreakpoint(content, message);
    // In the exchange, consecutive tool results and a user message after them are one turn.
    const all = results ?? [];
    for (const part of parts) all.push(part);
    if (results !== undefined) turns.pop();
    const turn: Turn = { role: "user", parts: all };
    turns.push(isResult ? turn : named(turn, message));
    results = isResult ? all : undefined;
  }
  return { instructions, turns };
}

/**
 * Moves the cache breakpoint of a message to the message's last part, unless that part has a breakpoint. LiteLLM
 * accepts breakpoints on messages.
 */
function withCacheBreakpoint(parts: Part[], message: WireMessage): Part[] {
  const cache = decodeCacheControl(message.cache_control);
  const last = parts.at(-1);
  return cache === undefined || last === undefined ? parts : [...parts.slice(0, -1), { cache, ...last }];
}

function named(turn: Turn, message: WireMessage): Turn {
  return message.name ? { ...turn, name: message.name } : turn;
}

function* decodeAssistant(message: WireMessage, content: Part[], index: number): Steps<Part[]> {
  const parts: Part[] = [...decodeReasoning(message), ...signText(content, message.extra_content)];
  if (message.refusal) parts.push({ type: "refusal", text: message.refusal });
  if (message.audio?.id) {
    const raw = { audio: message.audio };
    parts.push({ type: "unknown", origin: { dialect: "chat-completions", raw } });
  }
  for (const [position, call] of (message.tool_calls ?? []).entries()) {
    if (isPauseDue()) yield;
    parts.push(decodeToolCall(call, [index, position]));
  }
  if (message.function_call?.name) {
    const { name, arguments: text } = message.function_call;
    parts.push({ type: "tool-call", id: createCallId(name, index), name, arguments: argumentText(text) });
  }
  return parts;
}

/**
 * Converts the reasoning of a message: `reasoning_details` (OpenRouter) or, without them, `reasoning_content` (DeepSeek
 * and others) or `reasoning` (OpenRouter, Groq and others).
 */
export function decodeReasoning(message: {
  readonly reasoning_content?: string | null | undefined;
  readonly reasoning?: unknown;
  readonly reasoning_details?: readonly unknown[] | null | undefined;
}): ReasoningPart[] {
  const details = (message.reasoning_details ?? [])
    .filter(isObject)
    .flatMap((detail) => decodeReasoningDetail(detail) ?? []);
  if (details.length > 0) return details;
  const text = message.reasoning_content ?? (typeof message.reasoning === "string" ? message.reasoning : "");
  return text === "" ? [] : [{ type: "reasoning", text, vendor: "chat-completions" }];
}

/** Converts a tool call. A call without an id gets an id derived from its name and `position`. */
export function decodeToolCall(call: WireToolCall, position: readonly (string | number)[]): ToolCallPart {
  const name = callName(call);
  const id = call.id || createCallId(name, ...position);
  const part: ToolCallPart = isCustomCall(call)
    ? { type: "tool-call", id, name, arguments: call.custom?.input ?? "", custom: true }
    : { type: "tool-call", id, name, arguments: argumentText(call.function?.arguments) };
  const signature = googleSignature(call.extra_content);
  return signature === undefined ? part : { ...part, signature };
}

/**
 * Returns whether a call belongs to a custom tool. The member `type` takes precedence over `custom`, because Snowflake
 * sends an empty `custom` with every call.
 */
export function isCustomCall({ type, custom, function: called }: WireToolCall): boolean {
  if (type === "custom") return true;
  return Boolean(custom) && type !== "function" && !called;
}

/** Returns the name of the called tool; empty if the call, or the fragment of a call, has none. */
export function callName({ function: called, custom }: WireToolCall): string {
  return called?.name || custom?.name || "";
}

/** Returns tool arguments as JSON text. Some upstreams send an object instead of text. */
export function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : stringifyJson(value);
}

function decodeResult(
  message: WireMessage,
  content: Part[],
  path: string,
  lastCalls: ReadonlyMap<string, ToolCallPart>,
): ToolResultPart {
  if (message.role === "tool") {
    if (!message.tool_call_id)
      throw invalidRequest(`${path}.tool_call_id is missing`, `${path}.tool_call_id`);
    return { type: "tool-result", callId: message.tool_call_id, content };
  }
  const name = message.name ?? "";
  const call = lastCalls.get(name);
  return { type: "tool-result", callId: call?.id ?? createCallId(name), name, content };
}
