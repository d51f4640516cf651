import { isObject } from "../../exchange/json.ts";
import { createLossList, type LossList } from "../../exchange/loss.ts";
import type {
  Citation,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  TokenLogprob,
  ToolCallPart,
} from "../../exchange/parts.ts";
import type { ExchangeRequest } from "../../exchange/request.ts";
import { detachCallSignatures, detachTextSignatures, wrapSignature } from "../../exchange/signature.ts";
import { isCustomCall, unwrapCustomInput } from "../shared/custom-calls.ts";
import { encodeTokens } from "../shared/token-logprobs.ts";
import { encodeCall } from "./encode-items.ts";
import { hasItem } from "./encode-response.ts";

/**
 * An item of a response's `output`. The proxy derives its id from the response's id, so that a response that is encoded
 * again has the same item ids. An item that `keptItem` returns keeps the upstream's id.
 */
export type OutputItem = Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string };

/** Returns the id of an item: the kind, the response's id without its prefix, and the position in `output`. */
export function itemId(
  kind: "msg" | "rs" | "fc" | "ctc" | "ig" | "ws",
  responseId: string,
  position: number,
): string {
  return `${kind}_${responseId.replace(/^resp_/, "")}_${position}`;
}

/** Encodes a message item. `phase` is specific to the vendor and omitted if undefined. */
export function messageItem(
  id: string,
  content: readonly unknown[],
  status: string,
  phase: unknown,
): OutputItem {
  return {
    id,
    type: "message",
    status,
    role: "assistant",
    content,
    phase,
  };
}

/** Encodes a text of a message. */
export function textContent(
  text: string,
  annotations: readonly unknown[],
  logprobs: readonly TokenLogprob[] = [],
) {
  return { type: "output_text", text, annotations, logprobs: encodeTokens(logprobs) };
}

/** Encodes a refusal of a message. */
export function refusalContent(refusal: string) {
  return { type: "refusal", refusal };
}

/** Encodes the citations of a text as annotations. Citations of this dialect keep their original form. */
export function encodeAnnotations(part: Pick<TextPart, "text" | "citations">, losses: LossList): unknown[] {
  return (part.citations ?? []).flatMap((citation) => encodeAnnotation(citation, part.text.length, losses));
}

/** Encodes a citation. Returns an empty list and adds a loss if the citation of another dialect has no URL. */
function encodeAnnotation(citation: Citation, textLength: number, losses: LossList): unknown[] {
  if (citation.origin?.dialect === "responses") return [citation.origin.raw];
  if (citation.url === undefined) {
    losses.add("answer-citation", "Citations without a URL dropped: the dialect has no equivalent.");
    return [];
  }
  return [
    {
      type: "url_citation",
      start_index: citation.start ?? 0,
      end_index: citation.end ?? textLength,
      url: citation.url,
      title: citation.title ?? citation.url,
    },
  ];
}

/**
 * Encodes reasoning as an item. Another vendor's reasoning gets a wrapped signature even if it is unsigned, so that a
 * later request never sends it to OpenAI, which rejects an item that it does not know.
 */
export function reasoningItem(id: string, part: ReasoningPart): OutputItem {
  const signature = wrapSignature("responses", part);
  return {
    id,
    type: "reasoning",
    summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
    ...(signature === "" ? {} : { encrypted_content: signature }),
  };
}

/** Encodes the call of a function or custom tool as an item. Does not validate the arguments. */
export function callItem(
  id: string,
  part: ToolCallPart,
  request: ExchangeRequest,
  status: string,
): OutputItem {
  const isCustom = isCustomCall(part, request);
  const call = isCustom ? { ...part, custom: true, arguments: unwrapCustomInput(part) } : part;
  const { type, ...members } = encodeCall(call, request);
  return { id, type: String(type), status, ...members };
}

/** Encodes a generated image. Returns undefined and adds a loss if its bytes are not available. */
export function imageItem(id: string, part: ImagePart, losses: LossList): OutputItem | undefined {
  if (part.source.kind !== "base64") {
    losses.add(
      "answer-image",
      "Part of type image given by URL dropped from the response: the dialect requires its bytes.",
    );
    return undefined;
  }
  if (part.signature !== undefined)
    losses.add("part-signature", "Signature of an image dropped: the dialect has no equivalent.");
  return {
    id,
    type: "image_generation_call",
    status: "completed",
    output_format: part.source.mediaType.replace(/^image\//, ""),
    result: part.source.data,
  };
}

/** Encodes another vendor's web search that includes its results; returns undefined for any other part. */
export function searchItem(id: string, part: Part): OutputItem | undefined {
  if (part.type !== "server-tool" || part.tool !== "web-search" || !Array.isArray(part.output))
    return undefined;
  const input = isObject(part.input) ? part.input : {};
  const queries = Array.isArray(input["queries"]) ? input["queries"] : [];
  const sources = part.output.filter(isObject).map(({ url }) => ({ type: "url", url }));
  const action = { type: "search", query: String(queries[0] ?? ""), queries, sources };
  return part.phase === "call" ? { id, type: "web_search_call", status: "completed", action } : undefined;
}

/**
 * Returns the item that a part of this dialect was decoded from; undefined if the part does not contain it or comes
 * from another dialect.
 */
export function keptItem(part: Part, id: string): OutputItem | undefined {
  if (part.origin?.dialect !== "responses") return undefined;
  const raw = part.origin.raw;
  if (typeof raw !== "object" || raw === null || !("type" in raw)) return undefined;
  return { id, ...raw, type: String(raw.type) };
}

/**
 * Parses an id that `itemId` returned; returns undefined for any other id. The proxy uses the result to find the item
 * of an `item_reference` in a stored response.
 */
export function parseItemId(
  id: string,
): { readonly responseId: string; readonly position: number } | undefined {
  const match = /^(?:msg|rs|fc|ctc|ig|ws)_(.+)_(\d+)$/.exec(id);
  return match?.[1] === undefined
    ? undefined
    : { responseId: `resp_${match[1]}`, position: Number(match[2]) };
}

/** Returns the parts of a response that the output item at `position` contains; consecutive texts are one message. */
export function getPartsAt(parts: readonly Part[], position: number): readonly Part[] {
  let at = -1;
  let isMessage = false;
  return detachCallSignatures(detachTextSignatures(parts, createLossList())).filter((part) => {
    const isSpoken = part.type === "text" || part.type === "refusal";
    if (isSpoken ? part.text === "" : !hasItem(part)) return false;
    if (!(isSpoken && isMessage)) at += 1;
    isMessage = isSpoken;
    return at === position;
  });
}
