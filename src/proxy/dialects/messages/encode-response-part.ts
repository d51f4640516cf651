import { argumentsObject, RawJson } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Part, ReasoningPart, ToolCallPart } from "../../exchange/parts.ts";
import { loseTextSignature, wrapSignature } from "../../exchange/signature.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import { encodeCitation } from "./citations.ts";
import type { OutBlock } from "./encode-blocks.ts";
import { profile } from "./profile.ts";
import { encodeServerPart } from "./server-tools.ts";

/** Encodes a part of a response as blocks. Returns none and adds a loss if the dialect cannot express it. */
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
          `The use of the vendor's ${part.tool} tool was dropped from the response.`,
        );
      return blocks ?? [];
    }
    case "unknown":
      if (part.origin.dialect === "messages") return [part.origin.raw as OutBlock];
      break;
  }
  list.add(
    `answer-${part.type}`,
    `A ${part.type} part was dropped from the response: the dialect has no equivalent.`,
  );
  return [];
}

/**
 * Encodes reasoning. Reasoning of another vendor has a wrapped signature even if it is unsigned, so that it is never
 * mistaken for Anthropic's.
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

/** Returns the `input` of a tool call. It must be an object, so free text and invalid JSON become `{input: text}`. */
function callInput(part: ToolCallPart, list: LossList): unknown {
  if (part.custom === true) return { input: part.arguments };
  const input = argumentsObject(part.arguments);
  if (input === undefined)
    list.add("tool-arguments", "Tool arguments that are not a JSON object are sent as text.");
  return input ?? new RawJson(JSON.stringify({ input: part.arguments }));
}
