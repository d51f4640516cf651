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

/** Encodes text with its signature of this dialect. */
export function encodeText({ text, signature }: Pick<TextPart, "text" | "signature">): WireObject {
  return { text, thoughtSignature: signature };
}

/** Encodes reasoning with the wrapped signature. */
export function encodeThought(part: ReasoningPart): WireObject {
  const { text, signature } = part;
  if (signature === undefined) return { text, thought: true };
  return { text, thought: true, thoughtSignature: wrapSignature("generative-language", part, toBase64) };
}

/**
 * Encodes the arguments of a call as an object; the free text of a custom tool becomes its argument `input`.
 * Undefined if the text is not a JSON object, such as in a response that was cut off.
 */
export function encodeArguments(part: Pick<ToolCallPart, "arguments" | "custom">): RawJson | undefined {
  if (part.custom === true) return new RawJson(stringifyJson({ input: part.arguments }));
  return argumentsObject(part.arguments);
}

/**
 * Encodes media as inline data or a file. Returns undefined and adds a loss if the model does not support it or the
 * file is at another vendor.
 */
export function encodeMedia(
  part: Extract<Part, { type: "image" | "audio" | "video" | "document" }>,
  accepted: "any" | "base64" | "none",
  losses: LossList,
): WireObject | undefined {
  const { source } = part;
  if (source.kind === "text") return { text: withTitle(part as DocumentPart, source.text) };
  if (accepted === "none") {
    losses.add(part.type, `A ${part.type} part was dropped: the model does not support it.`);
    return undefined;
  }
  if (source.kind === "base64") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  if (source.kind === "url" && accepted === "base64") {
    losses.add(`${part.type}-url`, `A ${part.type} given by URL was dropped: the model requires its bytes.`);
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
 * Returns the original form of a part of this dialect that has no equivalent in the exchange form; undefined for
 * others.
 */
export function keptPart(part: Part): WireObject | undefined {
  const raw = part.origin?.dialect === "generative-language" ? part.origin.raw : undefined;
  return isObject(raw) ? raw : undefined;
}

/** Google's SDKs for Python and Go decode signatures from base64. */
function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
