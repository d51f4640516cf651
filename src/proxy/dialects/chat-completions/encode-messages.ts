import type { Capabilities } from "../../exchange/capabilities.ts";
import { defined } from "../../exchange/defined.ts";
import { stringifyJson } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { CacheHint, Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../exchange/parts.ts";
import type { ExchangeRequest, Turn } from "../../exchange/request.ts";
import { isPauseDue, mapInSteps, type Steps } from "../../exchange/steps.ts";
import { shortCallId, toCallId } from "../../exchange/tool-call-id.ts";
import { withTitle } from "../../exchange/with-title.ts";
import { mergeSystemTurns } from "../shared/system-turns.ts";
import { encodeUserPart, hasBreakpoint, textContent, type WireContent } from "./encode-content.ts";
import { findTextSignature, googleExtra } from "./google-signatures.ts";
import { profile } from "./profile.ts";
import { encodeReasoningDetail } from "./reasoning-details.ts";

type WireMessage = Readonly<Record<string, unknown>>;

/** Encodes a conversation as messages: the system message first, and tool results directly after their calls. */
export function* encodeMessages(
  request: ExchangeRequest,
  capabilities: Capabilities,
  list: LossList,
): Steps<readonly WireMessage[]> {
  const messages: WireMessage[] = [];
  if (request.instructions.length > 0)
    messages.push(...encodeSystem(request.instructions, capabilities, list));
  const { acceptsSystemTurns, acceptsUserAfterTools } = capabilities;
  const turns = acceptsSystemTurns ? request.turns : mergeSystemTurns(request.turns, list);
  for (const turn of turns) {
    if (isPauseDue()) yield;
    if (turn.role === "system") messages.push(...encodeSystem(turn.parts, capabilities, list));
    else if (turn.role === "assistant") messages.push(...(yield* encodeAssistant(turn, capabilities, list)));
    else
      for (const message of yield* encodeUser(turn, capabilities, list)) {
        const follows = message["role"] === "user" && messages.at(-1)?.["role"] === "tool";
        if (follows && !acceptsUserAfterTools) messages.push(acknowledge(list));
        messages.push(message);
      }
  }
  return messages;
}

/** Returns an assistant message between tool results and a user message, and adds a loss. */
function acknowledge(list: LossList): WireMessage {
  list.add(
    "assistant-turn",
    "Assistant message inserted: the vendor requires one between tool results and a user message.",
  );
  return { role: "assistant", content: "I have received the results." };
}

/**
 * Encodes instructions as one system message, with the texts joined by blank lines unless one has a cache breakpoint.
 * Some servers accept only one system message, and only text in it. Returns no message if there is no text, because
 * many servers reject an empty message.
 */
function encodeSystem(parts: readonly Part[], capabilities: Capabilities, list: LossList): WireMessage[] {
  const content = parts.flatMap((part) => {
    if (part.type === "text")
      return [withBreakpoint({ type: "text", text: part.text }, part.cache, capabilities, list)];
    list.add(
      `system-${part.type}`,
      `Part of type ${part.type} dropped from the instructions: the dialect supports text only.`,
    );
    return [];
  });
  if (content.some(hasBreakpoint)) return [{ role: "system", content }];
  const text = content.map((part) => part["text"]).join("\n\n");
  return text === "" ? [] : [{ role: "system", content: text }];
}

function* encodeUser(turn: Turn, capabilities: Capabilities, list: LossList): Steps<WireMessage[]> {
  const messages: WireMessage[] = [];
  const content: WireContent[] = [];
  for (const part of turn.parts) {
    if (isPauseDue()) yield;
    if (part.type === "tool-result") {
      const { output, media } = encodeResult(part, capabilities, list);
      messages.push({
        role: "tool",
        tool_call_id: callIdAt(capabilities, part.callId),
        content: output,
      });
      content.push(...media);
    } else {
      const encoded = encodeUserPart(part, capabilities, list);
      if (encoded !== undefined) content.push(withBreakpoint(encoded, part.cache, capabilities, list));
    }
  }
  // A turn whose parts were all dropped is skipped, because many servers reject an empty message.
  const isFirst = turn.parts.length === 0 && messages.length === 0;
  if (content.length > 0 || isFirst) {
    const name = encodeName(turn, capabilities, list);
    messages.push(defined({ role: "user", content: textContent(content, capabilities), name }));
  }
  return messages;
}

function encodeName({ name }: Turn, { rejectedMembers }: Capabilities, list: LossList): string | undefined {
  if (name === undefined || !rejectedMembers.includes("messages.name")) return name;
  list.add("name", "`name` of a message dropped: the upstream rejects it.");
  return undefined;
}

function encodeResult(result: ToolResultPart, capabilities: Capabilities, list: LossList) {
  const { text, media } = flattenResult(result, (part) => encodeUserPart(part, capabilities, list));
  const cache = result.cache ?? findCache(result.content);
  const output = [withBreakpoint({ type: "text", text }, cache, capabilities, list)];
  const note: WireContent = { type: "text", text: `From the result of call ${result.callId}:` };
  return { output: textContent(output, capabilities), media: media.length > 0 ? [note, ...media] : [] };
}

function* encodeAssistant(turn: Turn, capabilities: Capabilities, list: LossList): Steps<WireMessage[]> {
  const texts: string[] = [];
  const calls: ToolCallPart[] = [];
  const thoughts: ReasoningPart[] = [];
  let refusal: string | undefined;
  for (const part of turn.parts) {
    if (part.type !== "text" && part.cache !== undefined) loseCache(list);
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "tool-call") calls.push(part);
    else if (part.type === "reasoning") thoughts.push(part);
    else if (part.type === "refusal") refusal ??= part.text;
    else
      list.add(
        `assistant-${part.type}`,
        `Part of type ${part.type} dropped from an assistant message: the dialect has no equivalent.`,
      );
  }
  const reasoning = encodeReasoning(thoughts, calls.length > 0, capabilities, list);
  const isSilent = texts.length + calls.length === 0 && refusal === undefined;
  if (isSilent && Object.keys(reasoning).length === 0 && turn.parts.length > 0) return [];
  const cache = findCache(turn.parts.filter(({ type }) => type === "text"));
  const spoken = [withBreakpoint({ type: "text", text: texts.join("") }, cache, capabilities, list)];
  const silence = calls.length > 0 || refusal !== undefined ? null : "";
  const message = defined({
    role: "assistant",
    content: texts.length > 0 ? textContent(spoken, capabilities) : silence,
    refusal,
    name: encodeName(turn, capabilities, list),
    ...reasoning,
    ...encodeSignature(turn.parts, capabilities, list),
    tool_calls:
      calls.length > 0
        ? yield* mapInSteps(calls, (call) => ({
            ...encodeToolCall(signable(call, capabilities, list)),
            id: callIdAt(capabilities, call.id),
          }))
        : undefined,
  });
  return [message];
}

/**
 * Encodes the signature of a text if the upstream accepts `extra_content`, as Google's servers do. Several other
 * servers reject unknown members.
 */
function encodeSignature(parts: readonly Part[], { optionalMembers }: Capabilities, list: LossList) {
  const signature = findTextSignature(parts, list);
  if (signature === undefined || optionalMembers.includes("extra_content")) return googleExtra(signature);
  list.add("part-signature", "Signature of a text dropped: another vendor created it.");
  return {};
}

function signable(call: ToolCallPart, { optionalMembers }: Capabilities, list: LossList): ToolCallPart {
  if (call.signature === undefined || optionalMembers.includes("extra_content")) return call;
  list.add("call-signature", "Signature of a tool call dropped: another vendor created it.");
  const { signature: _, ...bare } = call;
  return bare;
}

/**
 * Encodes earlier reasoning: as `reasoning_details` if a vendor of this dialect signed it and the upstream accepts the
 * member, and as text if the upstream expects reasoning in later requests. Other reasoning is a loss.
 */
function encodeReasoning(
  reasoning: readonly ReasoningPart[],
  called: boolean,
  capabilities: Capabilities,
  list: LossList,
): Readonly<Record<string, unknown>> {
  const takesDetails = capabilities.optionalMembers.includes("reasoning_details");
  const signed = reasoning.filter((part) => takesDetails && isSigned(part));
  const others = reasoning.filter((part) => !takesDetails || !isSigned(part));
  const details = signed.flatMap((part) => encodeReasoningDetail(part) ?? []);
  const text = capabilities.echoesReasoning ? joinText(reasoning) : "";
  if (others.length > 0 && text === "") {
    const code = others.some((part) => part.signature !== undefined) ? "reasoning-signature" : "reasoning";
    list.add(code, "Earlier reasoning dropped: the upstream does not accept it.");
  }
  const isWanted = text !== "" || (called && capabilities.needsReasoning);
  return defined({
    [capabilities.reasoningMember]: isWanted ? text : undefined,
    reasoning_details: details.length === 0 ? undefined : details,
  });
}

function isSigned(part: ReasoningPart): boolean {
  return part.vendor === "chat-completions" && part.signature !== undefined;
}

function joinText(reasoning: readonly ReasoningPart[]): string {
  return reasoning
    .filter((part) => part.redacted !== true)
    .map((part) => part.text)
    .join("");
}

function callIdAt({ shortCallIds }: Capabilities, id: string): string {
  return shortCallIds ? shortCallId(id) : toCallId(profile.callIds, id);
}

/** Encodes a tool call of a request or a response. */
export function encodeToolCall(call: ToolCallPart): Readonly<Record<string, unknown>> {
  const id = toCallId(profile.callIds, call.id);
  const extra = googleExtra(call.signature);
  if (call.custom === true)
    return { id, type: "custom", custom: { name: call.name, input: call.arguments }, ...extra };
  const text = call.arguments.trim() === "" ? "{}" : call.arguments;
  return { id, type: "function", function: { name: call.name, arguments: text }, ...extra };
}

/** Returns the last cache breakpoint of the parts, which covers everything before it. */
function findCache(parts: readonly Part[]): CacheHint | undefined {
  return parts.findLast(({ cache }) => cache !== undefined)?.cache;
}

/**
 * Adds a cache breakpoint to a text if the upstream accepts `cache_control`, which OpenRouter defines for texts.
 * Otherwise, the breakpoint is a loss.
 */
function withBreakpoint(
  content: WireContent,
  cache: CacheHint | undefined,
  { cacheControl }: Capabilities,
  list: LossList,
): WireContent {
  if (cache === undefined) return content;
  if (content.type === "text" && content["text"] !== "" && cacheControl !== "none")
    return { ...content, cache_control: { type: "ephemeral", ...cache } };
  loseCache(list);
  return content;
}

function loseCache(list: LossList): void {
  list.add("cache-control", "Cache breakpoints dropped: the upstream has no equivalent.");
}

/** A tool result for dialects whose results are text: the text, and the media to send separately. */
interface FlatResult<Media> {
  readonly text: string;
  readonly media: readonly Media[];
}

/**
 * Converts a tool result to text. Prefixes an error with `Error: ` unless the text begins with `Error`. Replaces media,
 * which the model receives separately, with references. `encode` returns undefined for a part that the dialect cannot
 * express; such a part gets no reference.
 */
function flattenResult<Media>(
  result: ToolResultPart,
  encode: (part: Part) => Media | undefined,
): FlatResult<Media> {
  const media: Media[] = [];
  const texts: string[] = [];
  for (const part of result.content) {
    const own = ownText(part);
    const encoded = own === undefined ? encode(part) : undefined;
    if (own !== undefined) texts.push(own);
    else if (encoded !== undefined)
      texts.push(`[${part.type} ${media.push(encoded)} of this result follows]`);
  }
  if (texts.length === 0 && result.structured !== undefined) texts.push(stringifyJson(result.structured));
  const text = texts.join("\n");
  return { text: result.isError === true && !text.startsWith("Error") ? `Error: ${text}` : text, media };
}

function ownText(part: Part): string | undefined {
  if (part.type === "text") return part.text;
  return part.type === "document" && part.source.kind === "text"
    ? withTitle(part, part.source.text)
    : undefined;
}
