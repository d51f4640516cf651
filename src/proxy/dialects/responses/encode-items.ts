import { findTool } from "../../exchange/find-tool.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../exchange/parts.ts";
import type { ExchangeRequest, Turn } from "../../exchange/request.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import { encodeInputPart, type InputContext } from "./encode-content.ts";
import { findNamespaced } from "./namespaces.ts";
import { getPhase } from "./phase.ts";
import { profile } from "./profile.ts";

type WireItem = Readonly<Record<string, unknown>>;

/**
 * Encodes a conversation as `input` items. Consecutive texts and media of a turn become one message, and every other
 * part becomes an item.
 */
export function* encodeTurns(
  request: ExchangeRequest,
  systemRole: string,
  context: InputContext,
): Steps<WireItem[]> {
  const items: WireItem[] = [];
  for (const turn of request.turns) {
    if (isPauseDue()) yield;
    for (const item of yield* encodeTurn(turn, request, systemRole, context)) items.push(item);
  }
  return items;
}

function* encodeTurn(
  turn: Turn,
  request: ExchangeRequest,
  systemRole: string,
  context: InputContext,
): Steps<WireItem[]> {
  const { losses } = context;
  const items: WireItem[] = [];
  let content: unknown[] = [];
  let meta: WireItem = {};
  const role = turn.role === "system" ? systemRole : turn.role;
  const close = () => {
    if (content.length > 0) items.push({ type: "message", role, content, ...meta });
    content = [];
    meta = {};
  };
  if (turn.name !== undefined) losses.add("name", "`name` dropped: messages of this dialect have none.");
  for (const part of turn.parts) {
    if (isPauseDue()) yield;
    const item = encodeOwnItem(part, request, context);
    if (item !== undefined) {
      close();
      items.push(...item);
      continue;
    }
    const written = turn.role === "assistant" ? encodeSpoken(part, losses) : encodeInputPart(part, context);
    if (written === undefined) continue;
    content.push(written);
    const phase = getPhase(part);
    meta = phase === undefined ? meta : { phase };
  }
  close();
  return items;
}

/** Encodes a part as items. Returns undefined if it belongs in a message, and an empty list for a dropped part. */
function encodeOwnItem(part: Part, request: ExchangeRequest, context: InputContext): WireItem[] | undefined {
  const { losses } = context;
  switch (part.type) {
    case "tool-call":
      if (part.signature !== undefined)
        losses.add("call-signature", "Signature of a tool call dropped: another vendor created it.");
      return [encodeCall(part, request)];
    case "tool-result":
      return [encodeResult(part, request, context)];
    case "reasoning":
      return encodeReasoning(part, losses);
    case "server-tool":
      return encodeKept(part, losses);
    case "image":
      return part.origin?.dialect === "responses" && isItem(part.origin.raw) ? [part.origin.raw] : undefined;
    case "unknown":
      return part.origin.dialect === "responses" && !isContent(part.origin.raw)
        ? encodeKept(part, losses)
        : undefined;
    default:
      return undefined;
  }
}

function isItem(raw: unknown): raw is WireItem {
  return typeof raw === "object" && raw !== null && !isContent(raw);
}

/** Returns whether a raw object is a content part, not an item. */
function isContent(raw: unknown): boolean {
  const type = typeof raw === "object" && raw !== null && "type" in raw ? String(raw.type) : "";
  return /^(?:input|output)_|^(?:text|refusal)$/.test(type);
}

function encodeKept(part: Part, losses: LossList): WireItem[] {
  if (part.origin?.dialect === "responses") return [part.origin.raw as WireItem];
  losses.add("server-tool", `Part of type ${part.type} dropped: another vendor created it.`);
  return [];
}

/** Encodes a tool call as an item. The call of a namespaced function gets its namespace and short name. */
export function encodeCall(part: ToolCallPart, request: ExchangeRequest): WireItem {
  const call_id = toCallId(profile.callIds, part.id);
  if (part.custom === true) {
    return { type: "custom_tool_call", call_id, name: part.name, input: part.arguments };
  }
  const space = findNamespaced(request.tools, part.name);
  return {
    type: "function_call",
    call_id,
    name: space?.name ?? part.name,
    ...(space === undefined ? {} : { namespace: space.namespace }),
    arguments: part.arguments.trim() === "" ? "{}" : part.arguments,
  };
}

function encodeResult(part: ToolResultPart, request: ExchangeRequest, context: InputContext): WireItem {
  const isCustom =
    part.custom === true ||
    (part.name !== undefined && findTool(request.tools, "custom", part.name) !== undefined);
  const content = part.isError === true ? markError(part.content) : part.content;
  const parts = content
    .map((inner) => encodeInputPart(inner, context))
    .filter((inner) => inner !== undefined);
  const [only] = content;
  const output =
    content.length === 0 ? "" : content.length === 1 && only?.type === "text" ? only.text : parts;
  return {
    type: isCustom ? "custom_tool_call_output" : "function_call_output",
    call_id: toCallId(profile.callIds, part.callId),
    output,
  };
}

/** Marks the result of a failed call in its text, because the dialect has no flag for a failed call. */
function markError(content: readonly Part[]): readonly Part[] {
  const [first, ...rest] = content;
  if (first?.type !== "text") return [{ type: "text", text: "Error" }, ...content];
  return first.text.startsWith("Error") ? content : [{ ...first, text: `Error: ${first.text}` }, ...rest];
}

function encodeReasoning(part: ReasoningPart, losses: LossList): WireItem[] {
  if (part.origin?.dialect === "responses") return [part.origin.raw as WireItem];
  if (part.vendor !== "responses" || part.signature === undefined) {
    const code = part.signature === undefined ? "reasoning" : "reasoning-signature";
    losses.add(code, "Earlier reasoning dropped: this vendor did not sign it.");
    return [];
  }
  const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
  const id = part.id === undefined ? {} : { id: part.id };
  return [{ type: "reasoning", ...id, summary, encrypted_content: part.signature }];
}

function encodeSpoken(part: Part, losses: LossList): unknown {
  if (part.type === "text" && part.signature !== undefined)
    losses.add("part-signature", "Signature of a text dropped: another vendor created it.");
  if (part.type === "text") return { type: "output_text", text: part.text };
  if (part.type === "refusal") return { type: "refusal", refusal: part.text };
  if (part.type === "unknown" && part.origin.dialect === "responses") return part.origin.raw;
  losses.add(
    `assistant-${part.type}`,
    `Part of type ${part.type} dropped from an assistant message: the dialect has no equivalent.`,
  );
  return undefined;
}
