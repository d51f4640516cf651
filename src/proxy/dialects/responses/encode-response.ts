import type { EncodeContext } from "../../exchange/codec.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeResponse } from "../../exchange/response.ts";
import { detachCallSignatures, detachTextSignatures } from "../../exchange/signature.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import {
  callItem,
  encodeAnnotations,
  imageItem,
  itemId,
  keptItem,
  messageItem,
  type OutputItem,
  reasoningItem,
  refusalContent,
  searchItem,
  textContent,
} from "./output-items.ts";
import { getPhase } from "./phase.ts";
import {
  createFrame,
  encodeServiceTier,
  encodeUsage,
  getFinalStatus,
  getLastStatus,
  type MessageStatus,
} from "./response-object.ts";

/** Encodes a complete response object. The dialect has one candidate, so further candidates are a loss. */
export function* encodeResponse(
  response: ExchangeResponse,
  context: EncodeContext,
): Steps<Converted<unknown>> {
  const losses = createLossList();
  const [candidate, ...others] = response.candidates;
  if (others.length > 0)
    losses.add("candidates", "Candidates after the first dropped: the dialect has only one.");
  const parts = candidate?.parts ?? [];
  const frame = createFrame(response, context);
  const final = getFinalStatus(candidate?.finish ?? { unified: "stop" }, parts.some(isRefusal));
  const value = {
    ...frame,
    ...final,
    ...(final.status === "completed" ? { completed_at: Math.floor(context.now / 1000) } : {}),
    output: yield* encodeOutput(
      detachCallSignatures(detachTextSignatures(parts, losses)),
      getLastStatus(final),
      frame.id,
      context,
      losses,
    ),
    ...encodeServiceTier(response.usage),
    usage: encodeUsage(response.usage),
  };
  return { value, losses: losses.losses };
}

function isRefusal(part: Part): boolean {
  return part.type === "refusal";
}

/**
 * Encodes the output. Consecutive texts and refusals become one message, and every other part becomes an item.
 * `lastStatus` is the status of a message at the end.
 */
function* encodeOutput(
  parts: readonly Part[],
  lastStatus: MessageStatus,
  responseId: string,
  context: EncodeContext,
  losses: LossList,
): Steps<OutputItem[]> {
  const output: OutputItem[] = [];
  let content: unknown[] = [];
  let phase: unknown;
  const close = (status: MessageStatus = "completed") => {
    if (content.length > 0) {
      output.push(messageItem(itemId("msg", responseId, output.length), content, status, phase));
    }
    content = [];
    phase = undefined;
  };
  for (const part of parts) {
    if (isPauseDue()) yield;
    const spoken = encodeSpoken(part, losses);
    if (spoken === undefined) {
      close();
      const item = encodeItem(part, responseId, output.length, context, losses);
      if (item !== undefined) output.push(item);
    } else if (spoken !== "") {
      content.push(spoken);
      phase ??= getPhase(part);
    }
  }
  close(lastStatus);
  return output;
}

/** Encodes a part as content of a message. Returns undefined for a part that is an item, and "" for empty text. */
function encodeSpoken(part: Part, losses: LossList): unknown {
  if (part.type === "refusal") return refusalContent(part.text);
  if (part.type !== "text") return undefined;
  return part.text === "" ? "" : textContent(part.text, encodeAnnotations(part, losses), part.logprobs);
}

/** Returns whether `encodeItem` returns an item for this part. */
export function hasItem(part: Part): boolean {
  if (part.type === "tool-call" || keptItem(part, "") !== undefined) return true;
  if (part.type === "reasoning") return part.text !== "" || part.signature !== undefined;
  return part.type === "image" ? part.source.kind === "base64" : searchItem("", part) !== undefined;
}

/** Encodes a part as an item. Returns undefined for empty reasoning and, with a loss, for an unsupported part. */
export function encodeItem(
  part: Part,
  responseId: string,
  position: number,
  context: EncodeContext,
  losses: LossList,
): OutputItem | undefined {
  switch (part.type) {
    case "tool-call":
      return callItem(itemId("fc", responseId, position), part, context.request, "completed");
    case "reasoning":
      if (part.text === "" && part.signature === undefined && part.origin === undefined) return undefined;
      return (
        keptItem(part, itemId("rs", responseId, position)) ??
        reasoningItem(itemId("rs", responseId, position), part)
      );
    case "image":
      return (
        keptItem(part, itemId("ig", responseId, position)) ??
        imageItem(itemId("ig", responseId, position), part, losses)
      );
    default: {
      const kept =
        keptItem(part, itemId("msg", responseId, position)) ??
        searchItem(itemId("ws", responseId, position), part);
      if (kept === undefined)
        losses.add(
          `answer-${part.type}`,
          `Part of type ${part.type} dropped from the response: the dialect has no equivalent.`,
        );
      return kept;
    }
  }
}
