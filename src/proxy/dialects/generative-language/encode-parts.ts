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

/** Text, with the signature that came with it from this dialect. */
export function encodeText({ text, signature }: Pick<TextPart, "text" | "signature">): WireObject {
  return { text, ...(signature === undefined ? {} : { thoughtSignature: signature }) };
}

/** A thought for a client of this dialect, other vendors' signatures sealed. */
export function encodeThought(part: ReasoningPart): WireObject {
  const { text, signature } = part;
  if (signature === undefined) return { text, thought: true };
  return { text, thought: true, thoughtSignature: wrapSignature("generative-language", part, toBase64) };
}

/**
 * A call's arguments as the object this dialect wants; free text of a custom tool as its one argument `input`.
 * Undefined where the text is no JSON object: an answer that was cut off, or a model's mistake.
 */
export function encodeArguments(part: Pick<ToolCallPart, "arguments" | "custom">): RawJson | undefined {
  if (part.custom === true) return new RawJson(stringifyJson({ input: part.arguments }));
  return argumentsObject(part.arguments);
}

/** Bytes or a file; undefined and a loss for an id at another vendor. */
export function encodeMedia(
  part: Extract<Part, { type: "image" | "audio" | "video" | "document" }>,
  accepted: "any" | "base64" | "none",
  losses: LossList,
): WireObject | undefined {
  const { source } = part;
  if (source.kind === "text") return { text: withTitle(part as DocumentPart, source.text) };
  if (accepted === "none") {
    losses.add(part.type, `A ${part.type} part dropped: the model does not support it.`);
    return undefined;
  }
  if (source.kind === "base64") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  if (source.kind === "url" && accepted === "base64") {
    losses.add(`${part.type}-url`, `A ${part.type} given by URL dropped: the model requires its bytes.`);
    return undefined;
  }
  if (source.kind === "file" && part.origin?.dialect !== "generative-language") {
    return loseForeignFile(losses);
  }
  return { fileData: fileData(source) };
}

function fileData(source: Exclude<MediaSource, { kind: "base64" }>): WireObject {
  const fileUri = source.kind === "url" ? source.url : source.id;
  return { ...(source.mediaType === undefined ? {} : { mimeType: source.mediaType }), fileUri };
}

/** A part of this dialect that the exchange form has no room for, as it was read. */
export function keptPart(part: Part): WireObject | undefined {
  const raw = part.origin?.dialect === "generative-language" ? part.origin.raw : undefined;
  return isObject(raw) ? raw : undefined;
}

/** Google's SDKs for Python and Go read signatures as bytes. */
function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
