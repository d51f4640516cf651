import { isObject, stringifyJson } from "../../exchange/json.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../exchange/parts.ts";
import type { Turn } from "../../exchange/request.ts";
import { isPauseDue, mapInSteps, type Steps } from "../../exchange/steps.ts";
import { createCallId, unwrapCallId } from "../../exchange/tool-call-id.ts";
import {
  appendJoined,
  argumentsText,
  decodeCodeExecution,
  decodeMedia,
  decodeThought,
  signedText,
} from "./decode-parts.ts";
import type { WireContent, WireFunctionResponse, WirePart } from "./schema.ts";
import { createWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";

/**
 * Converts a conversation to turns. A call without an id gets an id derived from its name and position, so later
 * requests of the conversation produce the same id. A result without an id belongs to the oldest call with its name
 * that has no result yet. Consecutive contents of the model become one turn, because some clients store a streamed
 * response as one content per chunk.
 */
export function* decodeContents(contents: readonly WireContent[]): Steps<Turn[]> {
  const turns: { readonly role: Turn["role"]; readonly parts: Part[] }[] = [];
  const waiting = createWaitingCalls();
  const resultIds = collectResultIds(contents);
  for (const [turnIndex, content] of contents.entries()) {
    if (isPauseDue()) yield;
    const role = toRole(content.role);
    const before = turns.at(-1);
    const parts = role === "assistant" && before?.role === "assistant" ? before.parts : [];
    if (parts !== before?.parts) turns.push({ role, parts });
    for (const [partIndex, part] of (content.parts ?? []).entries()) {
      if (isPauseDue()) yield;
      const { functionCall, functionResponse } = part;
      if (typeof functionCall?.name === "string") {
        const call = decodeCall(part, functionCall.name, turnIndex, partIndex);
        const { id, name } = call;
        waiting.add({ id, name, isNamed: Boolean(functionCall.id), hasResultById: resultIds.has(id) });
        parts.push(call);
      } else if (functionResponse)
        parts.push(yield* decodeResult(functionResponse, waiting, turnIndex, partIndex));
      else if (isEmptyText(part)) continue;
      else if (role !== "assistant") parts.push(decodePart(part));
      else appendJoined(parts, decodePart(part));
    }
  }
  return turns;
}

function collectResultIds(contents: readonly WireContent[]): ReadonlySet<string> {
  const ids = contents.flatMap(({ parts }) => (parts ?? []).map((part) => part.functionResponse?.id));
  return new Set(ids.flatMap((id) => (id ? [unwrapCallId(id)] : [])));
}

/** Returns whether a part has empty text, and neither a signature nor media. */
function isEmptyText({ text, thoughtSignature, inlineData, fileData }: WirePart): boolean {
  return text === "" && !thoughtSignature && !inlineData && !fileData;
}

function decodeCall(part: WirePart, name: string, turnIndex: number, partIndex: number): ToolCallPart {
  const { id, args } = part.functionCall ?? {};
  return {
    type: "tool-call",
    id: id ? unwrapCallId(id) : createCallId(name, turnIndex, partIndex),
    name,
    arguments: argumentsText(args),
    ...(typeof part.thoughtSignature === "string" ? { signature: part.thoughtSignature } : {}),
  };
}

function toRole(role: string | null | undefined): Turn["role"] {
  if (role === "model") return "assistant";
  return role === "system" ? "system" : "user";
}

/** Converts a part that is neither a call nor a result. */
export function decodePart(part: WirePart): Part {
  const isMedium = Boolean(part.inlineData || part.fileData);
  // An image in a thought is not content: the vendor repeats the last of these images in the response.
  if (isMedium && part.thought !== true) return decodeMedia(part);
  const code = decodeCodeExecution(part);
  if (code !== undefined) return code;
  if (typeof part.text === "string") {
    return part.thought === true
      ? decodeThought(part.text, part.thoughtSignature)
      : signedText(part.text, part.thoughtSignature);
  }
  return { type: "unknown", origin: { dialect: "generative-language", raw: part } };
}

function* decodeResult(
  response: WireFunctionResponse,
  waiting: WaitingCalls,
  turnIndex: number,
  partIndex: number,
): Steps<ToolResultPart> {
  const own = response.id ? unwrapCallId(response.id) : undefined;
  const call = waiting.take(own, response.name);
  const { text, isError } = readResponse(response.response);
  const media = yield* mapInSteps(response.parts ?? [], (part) => decodeMedia(part as WirePart));
  return {
    type: "tool-result",
    callId: call?.id ?? own ?? createCallId(response.name, turnIndex, partIndex),
    name: response.name,
    content: [...(text === "" ? [] : [{ type: "text", text } as const]), ...media],
    ...(isError ? { isError: true } : {}),
    ...(isObject(response.response) ? { structured: response.response } : {}),
  };
}

/**
 * Returns the text of a function response and whether the call failed, which the member `error` indicates. The text is
 * the value of `output`, `result`, `content` or `error` if it is the only member, empty for an empty object, and
 * otherwise the whole object as JSON.
 */
function readResponse(response: unknown): { text: string; isError: boolean } {
  if (!isObject(response)) return { text: asText(response), isError: false };
  const keys = Object.keys(response);
  const only = keys.length === 1 ? keys[0] : undefined;
  if (only === "error") return { text: asText(response["error"]), isError: true };
  if (only !== undefined && ["output", "result", "content"].includes(only)) {
    return { text: asText(response[only]), isError: false };
  }
  return { text: keys.length === 0 ? "" : stringifyJson(response), isError: "error" in response };
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : stringifyJson(value);
}
