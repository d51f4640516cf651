import type { ExchangeEvent } from "../exchange/event.ts";
import type { Part, TextPart, ToolCallPart } from "../exchange/parts.ts";
import type { ExchangeRequest } from "../exchange/request.ts";
import type { ExchangeResponse, Finish, Usage } from "../exchange/response.ts";
import { countText } from "../usage/count-text.ts";

/**
 * Returns the echo's response: the last user message, or a tool call whose sample arguments fit the tool's schema if
 * the client requires a tool call or the message contains "call NAME".
 */
export function composeEcho(request: ExchangeRequest, id: string): ExchangeResponse {
  const call = callFor(request, id);
  const text: TextPart = { type: "text", text: `Echo: ${getLastUserText(request)}` };
  const part = call ?? text;
  const finish: Finish = { unified: call ? "tool-calls" : "stop" };
  return {
    id,
    model: request.model,
    candidates: [{ parts: [part], finish }],
    usage: estimateUsage(request, part),
  };
}

/** Yields the same response as a stream, one word at a time. */
export function* echoEvents(response: ExchangeResponse): Generator<ExchangeEvent> {
  const { usage } = response;
  yield {
    type: "start",
    id: response.id,
    usage,
  };
  const candidate = response.candidates[0];
  for (const [index, part] of (candidate?.parts ?? []).entries()) {
    if (part.type === "text") {
      yield { type: "part-start", index, part: { type: "text", text: "" } };
      for (const text of part.text.match(/\S+\s*|\s+/g) ?? []) yield { type: "text-delta", index, text };
      yield { type: "part-end", index };
    } else if (part.type === "tool-call") {
      yield { type: "part-start", index, part: { ...part, arguments: "" } };
      yield { type: "arguments-delta", index, text: part.arguments };
      yield { type: "part-end", index };
    }
  }
  if (candidate) yield { type: "finish", finish: candidate.finish };
  yield { type: "end", usage };
}

function callFor(request: ExchangeRequest, id: string): ToolCallPart | undefined {
  const tools = request.tools.flatMap((tool) => (tool.type === "hosted" ? [] : [tool]));
  const namedTool = /\bcall (?:the tool )?["'`]?([\w.-]+)/i.exec(getLastUserText(request))?.[1];
  const choice = request.toolChoice;
  const name =
    choice?.mode === "tool"
      ? choice.name
      : choice?.mode === "required"
        ? tools[0]?.name
        : choice?.mode === "allowed" && choice.required
          ? choice.names[0]
          : choice?.mode === "none" || endsWithResult(request)
            ? undefined
            : namedTool;
  const tool = tools.find((each) => each.name === name);
  if (!tool) return undefined;
  const custom = tool.type === "custom";
  const value = custom ? getLastUserText(request) : JSON.stringify(createSample(tool.schema));
  return {
    type: "tool-call",
    id: `call_${id}`,
    name: tool.name,
    arguments: value,
    custom,
  };
}

/** Returns whether the last turn has a tool result. The echo then responds with text, to end the client's loop. */
function endsWithResult(request: ExchangeRequest): boolean {
  return request.turns.at(-1)?.parts.some((part) => part.type === "tool-result") ?? false;
}

function getLastUserText(request: ExchangeRequest): string {
  const turn = request.turns.findLast((each) => each.role === "user" && getText(each.parts) !== "");
  return turn ? getText(turn.parts) : "";
}

function getText(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "tool-result" ? getText(part.content) : "";
    })
    .filter(Boolean)
    .join("\n");
}

function estimateUsage(request: ExchangeRequest, part: TextPart | ToolCallPart): Usage {
  const input = request.turns.reduce((sum, turn) => sum + countText(getText(turn.parts)), 3);
  const output = countText(part.type === "text" ? part.text : part.arguments);
  return { input: { total: Math.ceil(input) }, output: { total: Math.ceil(output) }, estimated: true };
}

/** Returns a minimal value for a JSON Schema: required members only, the first of several alternatives. */
function createSample(schema: unknown, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > 16) return {};
  const {
    type,
    properties,
    required,
    items,
    anyOf,
    oneOf,
    default: preset,
    const: fixed,
    enum: listed,
  } = schema as Record<string, unknown>;
  if (fixed !== undefined) return fixed;
  if (preset !== undefined) return preset;
  if (Array.isArray(listed)) return listed[0];
  const choice = [anyOf, oneOf].find((each) => Array.isArray(each));
  if (Array.isArray(choice)) return createSample(choice[0], depth + 1);
  switch (String(Array.isArray(type) ? type[0] : type).toLowerCase()) {
    case "string":
      return "example";
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return items === undefined ? [] : [createSample(items, depth + 1)];
    default: {
      const members = Object(properties) as Record<string, unknown>;
      const names = Array.isArray(required) ? required.map(String) : Object.keys(members).slice(0, 1);
      return Object.fromEntries(names.map((name) => [name, createSample(members[name], depth + 1)]));
    }
  }
}
