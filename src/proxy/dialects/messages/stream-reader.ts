import type { ExchangeEvent } from "../../exchange/event.ts";
import { isObject, stringifyJson } from "../../exchange/json.ts";
import { unwrapSignature } from "../../exchange/signature.ts";
import { finishSteps } from "../../exchange/steps.ts";
import { decodeResponsePart } from "../shared/parse.ts";
import { decodeCitation } from "./citations.ts";
import { decodeBlock } from "./decode-blocks.ts";
import type { WireBlock, WireStreamEvent } from "./schema.ts";

type Delta = NonNullable<WireStreamEvent["delta"]>;
type Emit = (event: ExchangeEvent) => void;

/** Decodes the events of one content block. */
export interface BlockReader {
  delta(delta: Delta): void;
  /** Ends the block. Throws `DialectError` (502) if the block is invalid. */
  end(): void;
}

/**
 * Creates the reader of a block. Text, thinking and tool calls are emitted as they arrive, and other blocks at their
 * end. `nextIndex` returns the index of each part.
 */
export function openBlock(block: WireBlock, nextIndex: () => number, emit: Emit): BlockReader {
  switch (block.type) {
    case "text":
      return openText(block, nextIndex(), emit);
    case "thinking":
      return openThinking(block, nextIndex(), emit);
    case "tool_use":
      return openToolUse(block, nextIndex(), emit);
    default:
      return openWhole(block, nextIndex, emit);
  }
}

function openText(block: WireBlock, index: number, emit: Emit): BlockReader {
  emit({ type: "part-start", index, part: { type: "text", text: "" } });
  const emitText = (text: unknown) => {
    if (typeof text === "string" && text !== "") emit({ type: "text-delta", index, text });
  };
  emitText(block["text"]);
  return {
    delta(delta) {
      emitText(delta.text);
      const citation = decodeCitation(delta.citation);
      if (citation !== undefined) emit({ type: "citation", index, citation });
    },
    end: () => emit({ type: "part-end", index }),
  };
}

function openThinking(block: WireBlock, index: number, emit: Emit): BlockReader {
  emit({ type: "part-start", index, part: { type: "reasoning", text: "", vendor: "messages" } });
  const think = (text: unknown) => {
    if (typeof text === "string" && text !== "") emit({ type: "text-delta", index, text });
  };
  const sign = (wrapped: unknown) => {
    if (typeof wrapped !== "string" || wrapped === "") return;
    const { vendor, signature } = unwrapSignature("messages", wrapped);
    if (vendor === "messages") emit({ type: "signature-delta", index, signature });
  };
  think(block["thinking"]);
  sign(block["signature"]);
  return {
    delta(delta) {
      think(delta.thinking);
      sign(delta.signature);
    },
    end: () => emit({ type: "part-end", index }),
  };
}

function openToolUse(block: WireBlock, index: number, emit: Emit): BlockReader {
  const { id, name, input } = block;
  const part = { type: "tool-call", id: String(id ?? ""), name: String(name ?? ""), arguments: "" } as const;
  emit({ type: "part-start", index, part });
  let flowed = false;
  const add = (text: string) => {
    flowed = true;
    emit({ type: "arguments-delta", index, text });
  };
  return {
    delta(delta) {
      if (delta.partial_json) add(delta.partial_json);
    },
    end() {
      // Some compatible servers send the whole input in `content_block_start`.
      if (!flowed && isObject(input) && Object.keys(input).length > 0) add(stringifyJson(input));
      emit({ type: "part-end", index });
    },
  };
}

function openWhole(block: WireBlock, nextIndex: () => number, emit: Emit): BlockReader {
  let json = "";
  return {
    delta(delta) {
      json += delta.partial_json ?? "";
    },
    end() {
      const whole = json === "" ? block : { ...block, input: readInput(json) };
      const decoded = decodeResponsePart(decodeBlock(whole, "content_block"), whole);
      for (const part of finishSteps(decoded)) emit({ type: "part-whole", index: nextIndex(), part });
    },
  };
}

function readInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return { input: json };
  }
}
