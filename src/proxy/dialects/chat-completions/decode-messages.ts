import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../exchange/parts.ts";
import type { Turn } from "../../exchange/request.ts";
import { madeCallId } from "../../exchange/tool-call-id.ts";
import { decodeCacheControl } from "../shared/cache-control.ts";
import { decodeContent } from "./decode-content.ts";
import { googleSignature, signText } from "./google-signatures.ts";
import { decodeReasoningDetail } from "./reasoning-details.ts";
import type { WireMessage, WireToolCall } from "./schema.ts";

/** Messages as instructions (system and developer before anything else) and turns. */
export function decodeMessages(messages: readonly WireMessage[]): { instructions: Part[]; turns: Turn[] } {
  const instructions: Part[] = [];
  const turns: Turn[] = [];
  let afterResult = false;
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (message.role === "system" || message.role === "developer") {
      const parts = hinted(decodeContent(message.content, `${path}.content`), message);
      if (turns.length === 0) instructions.push(...parts);
      else turns.push({ role: "system", parts });
      afterResult = false;
      continue;
    }
    if (message.role === "assistant") {
      turns.push(
        named({ role: "assistant", parts: hinted(decodeAssistant(message, path, index), message) }, message),
      );
      afterResult = false;
      continue;
    }
    const isResult = message.role !== "user";
    const parts = isResult
      ? hinted([decodeResult(message, path, turns)], message)
      : hinted(decodeContent(message.content, `${path}.content`), message);
    const before = turns.at(-1);
    // A turn's results, and what the user says with them, are one turn in the canonical form.
    const together = afterResult && before !== undefined;
    const turn: Turn = together ? { ...before, parts: [...before.parts, ...parts] } : { role: "user", parts };
    turns.splice(together ? -1 : turns.length, 1, isResult ? turn : named(turn, message));
    afterResult = isResult;
  }
  return { instructions, turns };
}

/** LiteLLM takes a breakpoint on a whole message, which is one behind its last part. */
function hinted(parts: Part[], message: WireMessage): Part[] {
  const cache = decodeCacheControl(message.cache_control);
  const last = parts.at(-1);
  return cache === undefined || last === undefined ? parts : [...parts.slice(0, -1), { cache, ...last }];
}

function named(turn: Turn, message: WireMessage): Turn {
  return message.name ? { ...turn, name: message.name } : turn;
}

function decodeAssistant(message: WireMessage, path: string, index: number): Part[] {
  const content = decodeContent(message.content, `${path}.content`);
  const parts: Part[] = [...decodeReasoning(message), ...signText(content, message.extra_content)];
  if (message.refusal) parts.push({ type: "refusal", text: message.refusal });
  if (message.audio?.id) {
    const raw = { audio: message.audio };
    parts.push({ type: "unknown", origin: { dialect: "chat-completions", raw } });
  }
  for (const [position, call] of (message.tool_calls ?? []).entries()) {
    parts.push(decodeToolCall(call, [index, position]));
  }
  if (message.function_call?.name) {
    const { name, arguments: text } = message.function_call;
    parts.push({ type: "tool-call", id: madeCallId(name, index), name, arguments: argumentText(text) });
  }
  return parts;
}

/** Thinking beside a message: `reasoning_content` (DeepSeek and kin), `reasoning` and `reasoning_details` (OpenRouter). */
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

/** One call; `place` makes its id where it has none. */
export function decodeToolCall(call: WireToolCall, place: readonly (string | number)[]): ToolCallPart {
  const name = callName(call);
  const id = call.id || madeCallId(name, ...place);
  if (isCustomCall(call))
    return { type: "tool-call", id, name, arguments: call.custom?.input ?? "", custom: true };
  const signature = googleSignature(call.extra_content);
  const part = { type: "tool-call", id, name, arguments: argumentText(call.function?.arguments) } as const;
  return signature === undefined ? part : { ...part, signature };
}

/** Returns whether a call is of a custom tool: its type says so, as Snowflake gives every call an empty `custom`. */
export function isCustomCall({ type, custom, function: called }: WireToolCall): boolean {
  if (type === "custom") return true;
  return Boolean(custom) && type !== "function" && !called;
}

/** Returns the name of the tool that is called; empty where this piece of a call has none. */
export function callName({ function: called, custom }: WireToolCall): string {
  return called?.name || custom?.name || "";
}

/** Some upstreams give arguments as an object instead of text. */
export function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function decodeResult(message: WireMessage, path: string, turns: readonly Turn[]): ToolResultPart {
  const content = decodeContent(message.content, `${path}.content`);
  if (message.role === "tool") {
    if (!message.tool_call_id)
      throw invalidRequest(`${path}.tool_call_id is missing`, `${path}.tool_call_id`);
    return { type: "tool-result", callId: message.tool_call_id, content };
  }
  const name = message.name ?? "";
  const call = turns
    .flatMap((turn) => turn.parts)
    .findLast((part): part is ToolCallPart => part.type === "tool-call" && part.name === name);
  return { type: "tool-result", callId: call?.id ?? madeCallId(name), name, content };
}
