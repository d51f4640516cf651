import type { EncodeContext } from "../../exchange/codec.ts";
import { type Converted, createLossList, type LossList } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Candidate, ExchangeResponse } from "../../exchange/response.ts";
import { isPauseDue, mapInSteps, type Steps } from "../../exchange/steps.ts";
import { toCallId } from "../../exchange/tool-call-id.ts";
import {
  encodeArguments,
  encodeMedia,
  encodeText,
  encodeThought,
  keptPart,
  type WireObject,
} from "./encode-parts.ts";
import { encodeFinish } from "./finish.ts";
import { encodeLogprobs } from "./logprobs.ts";
import { profile } from "./profile.ts";
import { encodeUsage } from "./usage.ts";

/** Encodes a complete `GenerateContentResponse`. */
export function* encodeResponse(
  response: ExchangeResponse,
  context: EncodeContext,
): Steps<Converted<unknown>> {
  const losses = createLossList();
  const candidates: WireObject[] = [];
  for (const [index, candidate] of response.candidates.entries()) {
    if (isPauseDue()) yield;
    candidates.push(yield* encodeCandidate(candidate, index, losses));
  }
  const value = {
    candidates,
    usageMetadata: encodeUsage(response.usage),
    modelVersion: response.model ?? context.model,
    responseId: response.id ?? context.fallbackId,
  };
  return { value, losses: losses.losses };
}

function* encodeCandidate(candidate: Candidate, index: number, losses: LossList): Steps<WireObject> {
  const { finish } = candidate;
  const logprobs = candidate.parts.flatMap((part) => (part.type === "text" ? (part.logprobs ?? []) : []));
  const encoded = yield* mapInSteps(candidate.parts, (part) => encodeResponsePart(part, losses));
  return {
    content: { parts: encoded.flat(), role: "model" },
    finishReason: encodeFinish(finish),
    finishMessage: finish.message,
    ...encodeGrounding(findParts(candidate.parts, encoded), losses),
    ...encodeLogprobs(logprobs),
    index,
  };
}

/** A part, and its index among the parts of the wire format. */
interface IndexedPart {
  readonly part: Part;
  readonly partIndex: number;
}

/** Returns the parts with their indexes. `encoded` has the wire parts of each part, which may be none. */
function findParts(parts: readonly Part[], encoded: readonly (readonly WireObject[])[]): IndexedPart[] {
  let next = 0;
  return parts.map((part, index) => {
    const partIndex = next;
    next += encoded[index]?.length ?? 0;
    return { part, partIndex };
  });
}

/**
 * Encodes a part of a response. Returns an empty list if the part has no content, or if the dialect cannot express it,
 * which is a loss.
 */
export function encodeResponsePart(part: Part, losses: LossList): WireObject[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [encodeText(part)];
    case "refusal":
      return part.text === "" ? [] : [{ text: part.text }];
    case "reasoning":
      return part.text === "" && part.signature === undefined ? [] : [encodeThought(part)];
    case "tool-call":
      return encodeCall(part, losses);
    case "image":
    case "audio":
    case "video":
    case "document": {
      const media = encodeMedia(part, "any", losses);
      return media === undefined ? [] : [media];
    }
    default: {
      const kept = keptPart(part);
      if (kept === undefined)
        losses.add(
          `answer-${part.type}`,
          `Part of type ${part.type} dropped from the response: the dialect has no equivalent.`,
        );
      return kept === undefined ? [] : [kept];
    }
  }
}

/**
 * Encodes a tool call. Drops a call whose arguments are not a JSON object, for example because they were cut off, and
 * adds a loss: clients must not execute it.
 */
function encodeCall(part: Extract<Part, { type: "tool-call" }>, losses: LossList): WireObject[] {
  const args = encodeArguments(part);
  if (args === undefined) {
    losses.add("incomplete-call", `Call of ${part.name} dropped: its arguments are not a JSON object.`);
    return [];
  }
  const thoughtSignature = part.signature === undefined ? {} : { thoughtSignature: part.signature };
  const id = toCallId(profile.callIds, part.id);
  return [{ functionCall: { id, name: part.name, args }, ...thoughtSignature }];
}

/**
 * Encodes the citations of texts as `groundingMetadata`; returns an empty object if there are none. Offsets count bytes
 * of UTF-8. A citation without a URL is a loss.
 */
export function encodeGrounding(parts: readonly IndexedPart[], losses: LossList): WireObject {
  const supports: WireObject[] = [];
  const chunks: WireObject[] = [];
  for (const { part, partIndex } of parts) {
    if (part.type !== "text" || part.citations === undefined) continue;
    const spans = part.citations.flatMap(({ start = 0, end }) => (end === undefined ? [] : [start, end]));
    const bytes = countBytes(part.text, spans);
    for (const { url, title, quote, start, end } of part.citations) {
      if (url === undefined) {
        losses.add("answer-citation", "Citations without a URL dropped: the dialect has no equivalent.");
        continue;
      }
      const at = chunks.push({ web: { uri: url, title: title ?? url } }) - 1;
      const span = end === undefined ? {} : { startIndex: bytes.get(start ?? 0), endIndex: bytes.get(end) };
      supports.push({
        segment: { partIndex, ...span, text: quote },
        groundingChunkIndices: [at],
      });
    }
  }
  if (chunks.length === 0) return {};
  return { groundingMetadata: { groundingChunks: chunks, groundingSupports: supports } };
}

/** Returns the number of UTF-8 bytes before each offset in `offsets`. Reads the text once. */
function countBytes(text: string, offsets: readonly number[]): ReadonlyMap<number, number> {
  const counted = new Map<number, number>();
  let [at, bytes] = [0, 0];
  for (const offset of [...new Set(offsets)].sort((one, other) => one - other)) {
    // An offset within a surrogate pair counts as the one before the pair.
    const end = isLowSurrogate(text, offset) ? offset - 1 : offset;
    if (end > at) {
      bytes += Buffer.byteLength(text.slice(at, end));
      at = end;
    }
    counted.set(offset, bytes);
  }
  return counted;
}

function isLowSurrogate(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  return offset > 0 && unit >= 0xdc00 && unit <= 0xdfff;
}
