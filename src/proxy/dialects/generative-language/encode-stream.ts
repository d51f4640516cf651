import { keepAliveComment } from "../../../sse/serialize.ts";
import type { EncodeContext, StreamEncoder } from "../../exchange/codec.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import { stringifyJson } from "../../exchange/json.ts";
import { createLossList, type LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Finish, Usage } from "../../exchange/response.ts";
import { sealSignature } from "../../exchange/signature.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { encodeAnswerPart, groundingOf } from "./encode-response.ts";
import { errorObject } from "./errors.ts";
import { encodeFinish } from "./finish.ts";
import { encodeUsage } from "./usage.ts";

type WireObject = Readonly<Record<string, unknown>>;

interface OpenPart {
  readonly candidate: number;
  part: Part;
}

interface Ending {
  readonly candidate: number;
  readonly finish: Finish;
}

/**
 * Writes chunks that are each a `GenerateContentResponse`: as events, or as the members of one JSON array. Calls are
 * told whole, since clients read no partial ones; reasons and usage stand in the last chunk.
 */
export function createStreamEncoder(context: EncodeContext): StreamEncoder {
  const losses = createLossList();
  const frame = createFraming(context.array === true);
  const open = new Map<number, OpenPart>();
  const endings: Ending[] = [];
  const cited = new Map<number, Part[]>();
  let identity: WireObject = { modelVersion: context.model, responseId: context.fallbackId };
  let usage: Usage | undefined;
  let ended = false;

  const chunk = (candidate: number, parts: readonly WireObject[]): string => {
    if (parts.length === 0) return "";
    const candidates = [{ content: { parts, role: "model" }, index: candidate }];
    return frame.chunk({ candidates, ...identity });
  };
  const whole = (candidate: number, part: Part): string => {
    if (part.type === "text" && part.citations !== undefined) cite(cited, candidate, part);
    return chunk(candidate, encodeAnswerPart(part, losses));
  };
  const finish = (): string => {
    // Like the vendor's own last chunk: its SDK forgets a turn with a chunk that holds no part at all.
    const candidates = endings.map((ending) => ({
      content: { parts: [{ text: "" }], role: "model" },
      finishReason: encodeFinish(ending.finish),
      ...(ending.finish.message === undefined ? {} : { finishMessage: ending.finish.message }),
      ...groundingOf(cited.get(ending.candidate) ?? []),
      index: ending.candidate,
    }));
    return frame.last({ candidates, usageMetadata: encodeUsage(usage), ...identity });
  };
  const take = (event: ExchangeEvent): string => {
    switch (event.type) {
      case "start":
        identity = { ...identity, ...(event.id === undefined ? {} : { responseId: event.id }) };
        usage = mergeUsage(usage, event.usage);
        return "";
      case "usage":
        usage = mergeUsage(usage, event.usage);
        return "";
      case "part-start":
        open.set(event.index, { candidate: event.candidate ?? 0, part: event.part });
        return "";
      case "part-whole":
        return whole(event.candidate ?? 0, event.part);
      case "finish":
        if (event.logprobs !== undefined) losses.add("logprobs", "Log probabilities were left out.");
        endings.push({ candidate: event.candidate ?? 0, finish: event.finish });
        return "";
      case "end":
        usage = mergeUsage(usage, event.usage);
        ended = true;
        return finish();
      case "error":
        ended = true;
        return frame.last({ error: errorObject(event.error) });
      case "ping":
        return frame.ping;
      default: {
        const slot = open.get(event.index);
        return slot === undefined ? "" : chunk(slot.candidate, tell(event, slot, { open, cited, losses }));
      }
    }
  };
  return {
    push: (event) => (ended ? "" : take(event)),
    get losses() {
      return losses.losses;
    },
  };
}

interface Books {
  readonly open: Map<number, OpenPart>;
  readonly cited: Map<number, Part[]>;
  readonly losses: LossList;
}

type PartEvent = Extract<
  ExchangeEvent,
  { type: "text-delta" | "arguments-delta" | "signature-delta" | "citation" | "part-end" }
>;

/** What one event of an open part adds to the answer. */
function tell(event: PartEvent, slot: OpenPart, books: Books): readonly WireObject[] {
  const { part } = slot;
  switch (event.type) {
    case "text-delta":
      if (part.type === "tool-call" || !("text" in part)) return [];
      slot.part = { ...part, text: part.text + event.text };
      return event.text === ""
        ? []
        : [{ text: event.text, ...(part.type === "reasoning" ? { thought: true } : {}) }];
    case "arguments-delta":
      if (part.type === "tool-call") slot.part = { ...part, arguments: part.arguments + event.text };
      return [];
    case "signature-delta":
      if (part.type === "tool-call")
        slot.part = { ...part, signature: (part.signature ?? "") + event.signature };
      if (part.type === "reasoning")
        slot.part = { ...part, signature: (part.signature ?? "") + event.signature };
      return [];
    case "citation":
      if (part.type === "text")
        slot.part = { ...part, citations: [...(part.citations ?? []), event.citation] };
      return [];
    case "part-end":
      books.open.delete(event.index);
      return endPart(slot, event.part, books);
  }
}

function endPart(slot: OpenPart, said: Part | undefined, books: Books): readonly WireObject[] {
  const { part } = slot;
  if (part.type === "tool-call") return encodeAnswerPart(part, books.losses);
  if (part.type === "text") {
    cite(books.cited, slot.candidate, part);
    // The signature of a text comes with its last piece.
    const origin = said?.origin ?? part.origin;
    return origin?.dialect === "generative-language"
      ? [{ ...encodeAnswerPart({ type: "text", text: " ", origin }, books.losses)[0], text: "" }]
      : [];
  }
  if (part.type !== "reasoning" || part.signature === undefined) return [];
  const { vendor, signature } = part;
  return [
    { text: "", thought: true, thoughtSignature: sealSignature("generative-language", vendor, signature) },
  ];
}

function cite(cited: Map<number, Part[]>, candidate: number, part: Part): void {
  const list = cited.get(candidate) ?? [];
  list.push(part);
  cited.set(candidate, list);
}

interface Framing {
  chunk(value: unknown): string;
  /** The chunk after which nothing follows. */
  last(value: unknown): string;
  readonly ping: string;
}

/** Events end in CRLF as the vendor's do; an array is opened by its first member and closed by its last. */
function createFraming(array: boolean): Framing {
  if (!array) {
    const chunk = (value: unknown) => `data: ${stringifyJson(value)}\r\n\r\n`;
    return { chunk, last: chunk, ping: keepAliveComment };
  }
  let isFirst = true;
  const chunk = (value: unknown) => {
    const before = isFirst ? "[" : ",\r\n";
    isFirst = false;
    return `${before}${stringifyJson(value)}`;
  };
  // White space may stand anywhere between the members.
  return { chunk, last: (value) => `${chunk(value)}]`, ping: "\n" };
}
