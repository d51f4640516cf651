import { argumentsObject, isObject, RawJson, stringifyJson } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type {
  DocumentPart,
  MediaSource,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from "../../exchange/parts.ts";
import { wrapSignature } from "../../exchange/signature.ts";
import { withTitle } from "../../exchange/with-title.ts";
import { loseForeignFile } from "../shared/losses.ts";

export type WireObject = Readonly<Record<string, unknown>>;

/** Encodes text with its signature, if any. */
export function encodeText({ text, signature }: Pick<TextPart, "text" | "signature">): WireObject {
  return { text, thoughtSignature: signature };
}

/** Encodes reasoning with its signature, if any, which is wrapped if another vendor created it. */
export function encodeThought(part: ReasoningPart): WireObject {
  const { text, signature } = part;
  if (signature === undefined) return { text, thought: true };
  return { text, thought: true, thoughtSignature: wrapSignature("generative-language", part, toBase64) };
}

/**
 * Encodes the arguments of a call as a JSON object. The free text of a custom tool becomes the argument `input`.
 * Returns undefined if the arguments are not a JSON object, for example because the response was cut off.
 */
export function encodeArguments(part: Pick<ToolCallPart, "arguments" | "custom">): RawJson | undefined {
  if (part.custom === true) return new RawJson(stringifyJson({ input: part.arguments }));
  return argumentsObject(part.arguments);
}

/**
 * Encodes media as inline data or a file. A document whose source is text becomes a text part. Returns undefined and
 * adds a loss if `accepted` excludes the media, or if the file is at another vendor.
 */
export function encodeMedia(
  part: Extract<Part, { type: "image" | "audio" | "video" | "document" }>,
  accepted: "any" | "base64" | "none",
  losses: LossList,
): WireObject | undefined {
  const { source } = part;
  if (source.kind === "text") return { text: withTitle(part as DocumentPart, source.text) };
  if (accepted === "none") {
    losses.add(part.type, `Part of type ${part.type} dropped: the model does not support it.`);
    return undefined;
  }
  if (source.kind === "base64") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  if (source.kind === "url" && accepted === "base64") {
    losses.add(
      `${part.type}-url`,
      `Part of type ${part.type} given by URL dropped: the model requires its bytes.`,
    );
    return undefined;
  }
  if (source.kind === "file" && part.origin?.dialect !== "generative-language") {
    return loseForeignFile(losses);
  }
  return { fileData: fileData(source) };
}

function fileData(source: Exclude<MediaSource, { kind: "base64" }>): WireObject {
  const fileUri = source.kind === "url" ? source.url : source.id;
  return { mimeType: source.mediaType, fileUri };
}

/**
 * Returns the wire form that a part of this dialect was decoded from; undefined if the part does not contain it or
 * comes from another dialect.
 */
export function keptPart(part: Part): WireObject | undefined {
  const raw = part.origin?.dialect === "generative-language" ? part.origin.raw : undefined;
  return isObject(raw) ? raw : undefined;
}

/** Encodes text as base64, from which Google's SDKs for Python and Go decode signatures. */
function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
