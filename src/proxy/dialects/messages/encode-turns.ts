import type { Part } from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { mergeTurns } from "../../exchange/turns.ts";
import { markSystemTurn } from "../shared/system-turns.ts";
import { type BlockContext, encodePartsInSteps, type OutBlock } from "./encode-blocks.ts";

export interface OutMessage {
  readonly role: "user" | "assistant";
  readonly content: OutBlock[];
}

/**
 * Encodes turns as alternating user and assistant messages that begin with a user message. A system message within the
 * conversation becomes a marked part of a user message, because most models of this dialect accept no other form.
 */
export function* encodeTurns(request: ExchangeRequest, context: BlockContext): Steps<readonly OutMessage[]> {
  const converted = request.turns.map((turn) => markSystemTurn(turn, context.list));
  if (converted.some((turn) => turn.name !== undefined))
    context.list.add("name", "`name` dropped: messages of this dialect have none.");
  const messages: OutMessage[] = [];
  for (const turn of mergeTurns(converted)) {
    if (isPauseDue()) yield;
    const role = turn.role === "assistant" ? "assistant" : "user";
    const parts = role === "assistant" ? withoutMedia(turn.parts, context) : withoutMediaInErrors(turn.parts);
    const content = yield* encodePartsInSteps(parts, context);
    if (content.length > 0) messages.push({ role, content });
  }
  return fixFirstAndLastRole(joinNeighbours(messages), context);
}

/**
 * Drops images and documents from the parts of an assistant message: models of other vendors generate them, and this
 * vendor rejects them in assistant messages.
 */
function withoutMedia(parts: readonly Part[], { list }: BlockContext): readonly Part[] {
  const isMedium = (part: Part) => part.type === "image" || part.type === "document";
  if (!parts.some(isMedium)) return parts;
  for (const { type } of parts.filter(isMedium))
    list.add(
      `assistant-${type}`,
      `Part of type ${type} dropped from an assistant message: the dialect has no equivalent.`,
    );
  return parts.filter((part) => !isMedium(part));
}

/**
 * Moves media out of the results of failed tool calls, in which the vendor accepts text only. The media follow the last
 * result of the turn.
 */
function withoutMediaInErrors(parts: readonly Part[]): readonly Part[] {
  const isFailed = (part: Part) =>
    part.type === "tool-result" && part.isError === true && !part.content.every(isText);
  if (!parts.some(isFailed)) return parts;
  const media: Part[] = [];
  const kept = parts.map((part): Part => {
    if (part.type !== "tool-result" || !isFailed(part)) return part;
    media.push(...part.content.filter((inner) => !isText(inner)));
    return { ...part, content: part.content.filter(isText) };
  });
  const behind = kept.findLastIndex((part) => part.type === "tool-result") + 1;
  return kept.toSpliced(behind, 0, ...media);
}

function isText(part: Part): boolean {
  return part.type === "text";
}

/** Merges adjacent messages of the same role, which remain when an empty turn between them is dropped. */
function joinNeighbours(messages: readonly OutMessage[]): OutMessage[] {
  const joined: OutMessage[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    if (before?.role === message.role) before.content.push(...message.content);
    else joined.push(message);
  }
  return joined;
}

function fixFirstAndLastRole(messages: OutMessage[], { capabilities, list }: BlockContext): OutMessage[] {
  if (messages[0]?.role === "assistant") {
    list.add("first-turn", "User message inserted: the vendor requires one at the start.");
    messages.unshift({ role: "user", content: [{ type: "text", text: "Continue." }] });
  }
  const last = messages.at(-1);
  if (last?.role !== "assistant") return messages;
  if (!capabilities.acceptsPrefill) {
    list.add(
      "assistant-prefill",
      "The model starts a new message instead of continuing the assistant's last one.",
    );
    return [...messages, { role: "user", content: [{ type: "text", text: "Continue." }] }];
  }
  const block = last.content.at(-1);
  if (block?.["type"] === "text" && typeof block["text"] === "string") {
    // The vendor rejects trailing whitespace in a message that the model continues.
    last.content[last.content.length - 1] = { ...block, text: block["text"].trimEnd() };
  }
  return messages;
}
