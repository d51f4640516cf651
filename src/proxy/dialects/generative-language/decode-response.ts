import { randomUUID } from "node:crypto";
import { DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import type { Converted } from "../../exchange/loss.ts";
import type { Part } from "../../exchange/parts.ts";
import type { Candidate, ExchangeResponse } from "../../exchange/response.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { createCallId } from "../../exchange/tool-call-id.ts";
import { parseResponseInSteps, parseResponsePiece } from "../shared/parse.ts";
import { withoutNullish } from "../shared/without-nullish.ts";
import { camelKeys } from "./camel-keys.ts";
import { decodePart } from "./decode-contents.ts";
import { appendJoined, argumentsText } from "./decode-parts.ts";
import { decodeInnerError } from "./errors.ts";
import { decodeFinish } from "./finish.ts";
import { decodeGrounding, decodeLookups, decodeQuotes } from "./grounding.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { responseSchema, type WireCandidate, type WirePart, type WireResponse } from "./schema.ts";
import { decodeUsage } from "./usage.ts";

const WHAT = "response in the generative-language dialect";

/**
 * Parses a complete response body. A blocked prompt becomes an empty candidate with the finish reason
 * `content-filter`. Throws `DialectError` if the response is an error, is invalid, or has no candidates although the
 * prompt was not blocked.
 */
export function* decodeResponse(body: unknown, isLarge: boolean): Steps<Converted<ExchangeResponse>> {
  const wire = isLarge
    ? yield* parseResponseInSteps(responseSchema, camelKeys(body), WHAT)
    : parseResponse(body);
  if (wire.error !== undefined) throw new DialectError(decodeInnerError(body));
  const id = wire.responseId ?? randomUUID();
  const candidates: Candidate[] = [];
  for (const [index, candidate] of (wire.candidates ?? []).entries()) {
    if (isPauseDue()) yield;
    candidates.push(yield* decodeCandidate(candidate, id, index));
  }
  const blocked = blockedCandidate(wire);
  if (candidates.length === 0 && blocked === undefined) {
    throw invalidResponse("The upstream's response has no candidates.", body);
  }
  const value: ExchangeResponse = {
    ...withoutNullish({ id: wire.responseId, model: wire.modelVersion }),
    candidates: candidates.length === 0 && blocked !== undefined ? [blocked] : candidates,
    ...withoutNullish({ usage: decodeUsage(wire.usageMetadata) }),
  };
  return { value, losses: [] };
}

/** Parses a response or a chunk and renames its members to camelCase. Throws `DialectError` if it is invalid. */
export function parseResponse(body: unknown): WireResponse {
  return parseResponsePiece(responseSchema, camelKeys(body), WHAT);
}

/** Returns the candidate for a blocked prompt; undefined if the prompt was not blocked. */
export function blockedCandidate(wire: WireResponse): Candidate | undefined {
  const reason = wire.promptFeedback?.blockReason;
  if (typeof reason !== "string") return undefined;
  const message = wire.promptFeedback?.blockReasonMessage;
  return {
    parts: [],
    finish: { unified: "content-filter", raw: reason, ...(typeof message === "string" ? { message } : {}) },
  };
}

function* decodeCandidate(wire: WireCandidate, responseId: string, index: number): Steps<Candidate> {
  const parts: Part[] = [];
  let calls = 0;
  for (const part of wire.content?.parts ?? []) {
    if (isPauseDue()) yield;
    if (typeof part.functionCall?.name === "string") parts.push(decodeCall(part, responseId, index, calls++));
    else if (isSignatureAlone(part)) signLast(parts, part);
    else if (part.text !== "" || typeof part.thoughtSignature === "string")
      appendJoined(parts, decodePart(part));
  }
  const finish = decodeFinish(
    wire.finishReason ?? "FINISH_REASON_UNSPECIFIED",
    { called: calls > 0, hasContent: parts.some(({ type }) => type !== "reasoning") },
    wire.finishMessage,
  );
  return { parts: [...decodeLookups(wire, `${responseId}_${index}`), ...withAddenda(parts, wire)], finish };
}

/** Converts a call. A call without an id gets an id derived from its name, the response's id and its position. */
export function decodeCall(part: WirePart, responseId: string, candidate: number, partIndex: number) {
  const call = part.functionCall;
  // The model sometimes prefixes the name with `default_api`, the Python module in which it sees its functions.
  const name = (call?.name ?? "").replace(/^default_api[.:]/, "");
  return {
    type: "tool-call",
    id: call?.id ? call.id : createCallId(name, responseId, candidate, partIndex),
    name,
    arguments: argumentsText(call?.args),
    ...(typeof part.thoughtSignature === "string" ? { signature: part.thoughtSignature } : {}),
  } as const;
}

/** Returns whether a part contains only the signature of the text before it. */
export function isSignatureAlone(part: WirePart): boolean {
  return part.text === "" && typeof part.thoughtSignature === "string" && part.thought !== true;
}

function signLast(parts: Part[], part: WirePart): void {
  const last = parts.at(-1);
  if (last?.type !== "text") return;
  parts[parts.length - 1] = { ...last, ...withoutNullish({ signature: part.thoughtSignature }) };
}

/** Attaches citations and log probabilities, which apply to the whole candidate, to its first text. */
function withAddenda(parts: readonly Part[], wire: WireCandidate): Part[] {
  const logprobs = decodeLogprobs(wire.logprobsResult);
  const at = parts.findIndex((part) => part.type === "text");
  return parts.map((part, index) => {
    if (index !== at || part.type !== "text") return part;
    const citations = [
      ...decodeGrounding(wire.groundingMetadata, part.text),
      ...decodeQuotes(wire.citationMetadata, part.text),
    ];
    return {
      ...part,
      ...(citations.length > 0 ? { citations } : {}),
      ...(logprobs === undefined ? {} : { logprobs }),
    };
  });
}
