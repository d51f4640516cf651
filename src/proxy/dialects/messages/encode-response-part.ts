import { argumentsObject, RawJson } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Part, ReasoningPart, ToolCallPart } from "../../exchange/parts.ts";
import { loseTextSignature, wrapSignature } from "../../exchange/signature.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import { encodeCitation } from "./citations.ts";
import type { OutBlock } from "./encode-blocks.ts";
import { profile } from "./profile.ts";
import { encodeServerPart } from "./server-tools.ts";

/**
 * Encodes a part of a response as blocks. Returns an empty list for an empty text, and for a part that the dialect
 * cannot express, which is a loss.
 */
export function encodeResponsePart(part: Part, list: LossList): readonly OutBlock[] {
  switch (part.type) {
    case "text": {
      // The signature cannot follow in a thinking block, because clients read the response from the last block.
      if (part.signature !== undefined) loseTextSignature(list);
      if (part.text === "") return [];
      const citations = (part.citations ?? []).flatMap((citation) => encodeCitation(citation, list) ?? []);
      return [{ type: "text", text: part.text, ...(citations.length > 0 ? { citations } : {}) }];
    }
    case "refusal":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "reasoning":
      return [thoughtBlock(part)];
    case "tool-call":
      return [{ ...openCall(part), input: callInput(part, list) }];
    case "server-tool": {
      const blocks = encodeServerPart(part);
      if (blocks === undefined)
        list.add(
          "answer-server-tool",
          `Use of the vendor's ${part.tool} tool dropped from the response: the dialect has no equivalent.`,
        );
      return blocks ?? [];
    }
    case "unknown":
      if (part.origin.dialect === "messages") return [part.origin.raw as OutBlock];
      break;
  }
  list.add(
    `answer-${part.type}`,
    `Part of type ${part.type} dropped from the response: the dialect has no equivalent.`,
  );
  return [];
}

/**
 * Encodes reasoning as a block. Another vendor's reasoning gets a wrapped signature even if it is unsigned, so that a
 * later request never sends it to Anthropic.
 */
export function thoughtBlock(part: ReasoningPart): OutBlock {
  const signature = thoughtSignature(part);
  return part.redacted === true && part.text === ""
    ? { type: "redacted_thinking", data: signature }
    : { type: "thinking", thinking: part.text, signature };
}

/** Returns the signature for a reasoning block; see `thoughtBlock`. */
export function thoughtSignature(part: ReasoningPart): string {
  return wrapSignature("messages", { ...part, redacted: false });
}

/** Returns the block of a tool call with an empty `input`. */
export function openCall(part: ToolCallPart): OutBlock {
  return { type: "tool_use", id: toCallId(profile.callIds, part.id), name: part.name, input: {} };
}

/**
 * Returns the `input` of a tool call, which must be an object: free text, and arguments that are not a JSON object,
 * become `{input: text}`.
 */
function callInput(part: ToolCallPart, list: LossList): unknown {
  if (part.custom === true) return { input: part.arguments };
  const input = argumentsObject(part.arguments);
  if (input === undefined)
    list.add("tool-arguments", "Tool arguments sent as text: they are not a JSON object.");
  return input ?? new RawJson(JSON.stringify({ input: part.arguments }));
}
