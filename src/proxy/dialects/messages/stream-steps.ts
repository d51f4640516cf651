import type { OpenPart, OpenPartEvent } from "../../exchange/event.ts";
import { stringifyJson } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { ReasoningPart } from "../../exchange/parts.ts";
import { createCallSignaturePart, loseTextSignature } from "../../exchange/signature.ts";
import { encodeCitation } from "./citations.ts";
import type { OutBlock } from "./encode-blocks.ts";
import { openCall, thoughtBlock, thoughtSignature } from "./encode-response-part.ts";

/** An event of a content block, without the block's index, which is assigned when the block is written. */
export interface BlockStep {
  readonly kind: "start" | "delta" | "stop";
  readonly json: string;
}

/** Converts the events of one part to steps of its block. */
export interface PartSteps {
  begin(): readonly BlockStep[];
  take(event: OpenPartEvent): readonly BlockStep[];
}

const stop: BlockStep = { kind: "stop", json: "" };
const start = (block: OutBlock): BlockStep => ({ kind: "start", json: JSON.stringify(block) });
const delta = (type: string, member: string, value: unknown): BlockStep => ({
  kind: "delta",
  json: `{"type":"${type}","${member}":${JSON.stringify(value)}}`,
});

/** Creates the converter for a part that arrives in pieces. */
export function createSteps(part: OpenPart, list: LossList): PartSteps {
  if (part.type === "tool-call") return createCallSteps(part);
  return part.type === "reasoning" ? createThinkingSteps(part) : createTextSteps(list);
}

/**
 * Creates the converter for text. The block starts with its first text or citation, because the vendor rejects an empty
 * block when the client sends the block back.
 */
function createTextSteps(list: LossList): PartSteps {
  let opened = false;
  const open = (): BlockStep[] => {
    if (opened) return [];
    opened = true;
    return [start({ type: "text", text: "" })];
  };
  return {
    begin: () => [],
    take(event) {
      if (event.type === "text-delta" && event.text === "") return [];
      if (event.type === "text-delta") return [...open(), delta("text_delta", "text", event.text)];
      if (event.type === "part-end") return opened ? [stop] : [];
      if (event.type === "signature-delta") loseTextSignature(list);
      const citation = event.type === "citation" ? encodeCitation(event.citation, list) : undefined;
      return citation === undefined ? [] : [...open(), delta("citations_delta", "citation", citation)];
    },
  };
}

function createThinkingSteps(part: ReasoningPart): PartSteps {
  let opened = false;
  let signature = part.signature ?? "";
  const open = (): BlockStep[] => {
    if (opened) return [];
    opened = true;
    return [start({ type: "thinking", thinking: "", signature: "" })];
  };
  const end = (): BlockStep[] => {
    const signed: ReasoningPart = signature === "" ? part : { ...part, signature };
    if (!opened && part.redacted === true) return [start(thoughtBlock({ ...signed, text: "" })), stop];
    if (!opened && signature === "") return [];
    const wrapped = thoughtSignature(signed);
    return [...open(), ...(wrapped === "" ? [] : [delta("signature_delta", "signature", wrapped)]), stop];
  };
  return {
    begin: () => [],
    take(event) {
      if (event.type === "text-delta" && event.text === "") return [];
      if (event.type === "text-delta") return [...open(), delta("thinking_delta", "thinking", event.text)];
      if (event.type === "signature-delta") signature += event.signature;
      if (event.type !== "part-end") return [];
      if (signature === "" && event.part?.type === "reasoning") signature = event.part.signature ?? "";
      return end();
    },
  };
}

/**
 * Creates the converter for a tool call. The block starts at once and receives the arguments as they arrive. The free
 * text of a custom tool becomes `{input: text}`.
 */
function createCallSteps(part: Extract<OpenPart, { type: "tool-call" }>): PartSteps {
  const json = (text: string) => delta("input_json_delta", "partial_json", text);
  const isCustom = part.custom === true;
  return {
    begin: () => [
      ...createSignatureSteps(part),
      start(openCall(part)),
      ...(isCustom ? [json('{"input":"')] : []),
    ],
    take(event) {
      if (event.type === "part-end") return isCustom ? [json('"}'), stop] : [stop];
      if (event.type !== "arguments-delta") return [];
      return [json(isCustom ? JSON.stringify(event.text).slice(1, -1) : event.text)];
    },
  };
}

/** Returns the steps of a thinking block for another vendor's signature of a tool call; empty if there is none. */
function createSignatureSteps({ signature }: { readonly signature?: string }): BlockStep[] {
  if (signature === undefined) return [];
  return createBlockSteps(thoughtBlock(createCallSignaturePart(signature)));
}

/** Returns the steps of a complete block. */
export function createBlockSteps(block: OutBlock): BlockStep[] {
  const { type } = block;
  if (type === "text") {
    const citations = Array.isArray(block["citations"]) ? block["citations"] : [];
    return [
      start({ type, text: "" }),
      delta("text_delta", "text", block["text"]),
      ...citations.map((citation) => delta("citations_delta", "citation", citation)),
      stop,
    ];
  }
  if (type === "thinking") {
    const thinking = block["thinking"] === "" ? [] : [delta("thinking_delta", "thinking", block["thinking"])];
    const signed =
      block["signature"] === "" ? [] : [delta("signature_delta", "signature", block["signature"])];
    return [start({ type, thinking: "", signature: "" }), ...thinking, ...signed, stop];
  }
  if (block["input"] === undefined) return [start(block), stop];
  const input = delta("input_json_delta", "partial_json", stringifyJson(block["input"]));
  return [start({ ...block, input: {} }), input, stop];
}
