import { ownMember, stringifyJson } from "../../exchange/json.ts";
import type { Part, ReasoningPart, ServerToolPart, ToolCallPart } from "../../exchange/parts.ts";
import { introduceSummary, unwrapSignature, unwrapSummary } from "../../exchange/signature.ts";
import type { Steps } from "../../exchange/steps.ts";
import { parseRequestInSteps, parseRequestPiece } from "../shared/parse.ts";
import { decodeContent } from "./decode-content.ts";
import { qualifiedName } from "./namespaces.ts";
import {
  callOutputSchema,
  customCallSchema,
  functionCallSchema,
  itemSchema,
  messageSchema,
  reasoningSchema,
  type WireReasoning,
} from "./schema.ts";

/** The parts of one item of `input` or `output`, and its role. */
export interface DecodedItem {
  readonly role: "user" | "assistant" | "system";
  readonly kind: "message" | "result" | "other";
  readonly parts: readonly Part[];
}

const serverTools: Readonly<Record<string, ServerToolPart["tool"]>> = {
  web_search_call: "web-search",
  file_search_call: "file-search",
  code_interpreter_call: "code-execution",
  mcp_call: "mcp",
  mcp_list_tools: "mcp",
  mcp_approval_request: "mcp",
};

/** Parses an item. Throws a `DialectError` (400) that names the invalid member; `where` is the path of the item. */
export function* decodeItem(value: unknown, where: string): Steps<DecodedItem> {
  const item = parseRequestPiece(itemSchema, value, where);
  switch (item.type ?? "message") {
    case "message":
      return yield* decodeMessage(value, where);
    case "function_call":
      return assistant(decodeFunctionCall(value, where));
    case "custom_tool_call":
      return assistant(decodeCustomCall(value, where));
    case "function_call_output":
    case "custom_tool_call_output":
      return yield* decodeOutput(value, where, item.type === "custom_tool_call_output");
    case "reasoning":
      return assistant(decodeReasoning(yield* parseRequestInSteps(reasoningSchema, value, where), value));
    case "compaction":
      return decodeCompaction(item);
    case "image_generation_call":
      return assistant(decodeGeneratedImage(item));
    default:
      return decodeOther(item);
  }
}

function assistant(part: Part): DecodedItem {
  return { role: "assistant", kind: "other", parts: [part] };
}

function* decodeMessage(value: unknown, where: string): Steps<DecodedItem> {
  const message = yield* parseRequestInSteps(messageSchema, value, where);
  const role = message.role === "developer" ? "system" : message.role;
  const parts = yield* decodeContent(message.content);
  if (typeof message.phase !== "string") return { role, kind: "message", parts };
  const origin = { dialect: "responses", raw: { phase: message.phase } } as const;
  return { role, kind: "message", parts: parts.map((part) => ({ origin, ...part })) };
}

function decodeFunctionCall(value: unknown, where: string): ToolCallPart {
  const call = parseRequestPiece(functionCallSchema, value, where);
  const written = call.arguments ?? "";
  return {
    type: "tool-call",
    id: call.call_id,
    name: qualifiedName(call.namespace, call.name),
    arguments: typeof written === "string" ? written : stringifyJson(written),
  };
}

function decodeCustomCall(value: unknown, where: string): ToolCallPart {
  const call = parseRequestPiece(customCallSchema, value, where);
  return {
    type: "tool-call",
    id: call.call_id,
    name: call.name,
    arguments: call.input ?? "",
    custom: true,
  };
}

function* decodeOutput(value: unknown, where: string, custom: boolean): Steps<DecodedItem> {
  const output = yield* parseRequestInSteps(callOutputSchema, value, where);
  const part: Part = {
    type: "tool-result",
    callId: output.call_id,
    content: yield* decodeContent(output.output),
    ...(custom ? { custom: true } : {}),
  };
  return { role: "user", kind: "result", parts: [part] };
}

/**
 * Converts a reasoning item: its summary, or the reasoning text if there is no summary, and the signature in
 * `encrypted_content`.
 */
function decodeReasoning(item: WireReasoning, raw: unknown): ReasoningPart {
  const summary = (item.summary ?? []).map((part) => part.text ?? "");
  const content = (item.content ?? []).map((part) => part.text ?? "");
  const isSummary = summary.some((text) => text !== "") || content.length === 0;
  const text = (isSummary ? summary : content).join("\n\n");
  const wrapped =
    typeof item.encrypted_content === "string"
      ? unwrapSignature("responses", item.encrypted_content)
      : undefined;
  return {
    type: "reasoning",
    text,
    vendor: wrapped?.vendor ?? "responses",
    // An empty signature in an envelope marks unsigned reasoning of another vendor.
    ...(wrapped === undefined || wrapped.signature === "" ? {} : { signature: wrapped.signature }),
    ...(wrapped?.redacted === true ? { redacted: true } : {}),
    ...(wrapped?.ofText === true ? { ofText: true } : {}),
    ...(isSummary ? { summary: true } : {}),
    ...(typeof item.id === "string" ? { id: item.id } : {}),
    ...(wrapped === undefined || wrapped.vendor === "responses"
      ? { origin: { dialect: "responses", raw } as const }
      : {}),
  };
}

/** Converts the summary in a compaction item of the proxy to a message. Keeps any other compaction item unchanged. */
function decodeCompaction(item: Readonly<Record<string, unknown>>): DecodedItem {
  const summary = unwrapSummary(item["encrypted_content"]);
  if (summary === undefined) return decodeOther(item);
  return { role: "user", kind: "message", parts: [{ type: "text", text: introduceSummary(summary) }] };
}

function decodeGeneratedImage(item: Readonly<Record<string, unknown>>): Part {
  const origin = { dialect: "responses", raw: item } as const;
  if (typeof item["result"] !== "string" || item["result"] === "") return { type: "unknown", origin };
  const format = typeof item["output_format"] === "string" ? item["output_format"] : "png";
  return {
    type: "image",
    source: { kind: "base64", mediaType: `image/${format}`, data: item["result"] },
    origin,
  };
}

/** Converts the call of a hosted tool, which includes its result. Unknown items are kept unchanged. */
function decodeOther(item: Readonly<Record<string, unknown>>): DecodedItem {
  const type = String(item["type"]);
  const origin = { dialect: "responses", raw: item } as const;
  const tool = ownMember(serverTools, type);
  const isClients = type.endsWith("_output") || type === "mcp_approval_response";
  if (tool === undefined) {
    return { role: isClients ? "user" : "assistant", kind: "other", parts: [{ type: "unknown", origin }] };
  }
  return assistant({
    type: "server-tool",
    tool,
    phase: "call",
    ...(typeof item["id"] === "string" ? { id: item["id"] } : {}),
    name: typeof item["name"] === "string" ? item["name"] : type.replace(/_call$/, ""),
    ...pick(item, "input", ["action", "queries", "code", "arguments"]),
    ...pick(item, "output", ["results", "outputs", "output"]),
    origin,
  });
}

function pick(item: Readonly<Record<string, unknown>>, name: "input" | "output", members: readonly string[]) {
  const member = members.find((key) => item[key] !== undefined && item[key] !== null);
  return member === undefined ? {} : { [name]: item[member] };
}
