import type { Capabilities } from "../../exchange/capabilities.ts";
import { defined } from "../../exchange/defined.ts";
import { ownMember } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { LossCode } from "../../exchange/loss-codes.ts";
import { isForeignFile, toMediaUrl } from "../../exchange/media.ts";
import type { AudioPart, DocumentPart, ImagePart, Part } from "../../exchange/parts.ts";
import { withTitle } from "../../exchange/with-title.ts";
import { loseDocumentOptions, loseForeignFile } from "../shared/losses.ts";

export interface WireContent {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * Encodes a part of a user message or a tool result. Returns undefined and adds a loss if the upstream does not support
 * the part.
 */
export function encodeUserPart(
  part: Part,
  capabilities: Capabilities,
  list: LossList,
): WireContent | undefined {
  const lost = (code: LossCode, detail: string) => {
    list.add(code, detail);
    return undefined;
  };
  if ((part.type === "document" || part.type === "image") && isForeignFile(part, "chat-completions"))
    return loseForeignFile(list);
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "refusal":
      return { type: "text", text: part.text };
    case "image":
      return (
        encodeImage(part, capabilities) ?? lost("image", "Image dropped: the upstream does not support it.")
      );
    case "document":
      loseDocumentOptions(part, list);
      return (
        encodeDocument(part, capabilities) ??
        lost("document", "Document dropped: the upstream does not support it.")
      );
    case "audio":
      return (
        encodeAudio(part, capabilities) ?? lost("audio", "Audio dropped: the upstream does not support it.")
      );
    case "unknown":
      if (part.origin.dialect === "chat-completions") return part.origin.raw as WireContent;
      return lost("unknown", `Part dropped: only the ${part.origin.dialect} dialect has its type.`);
    default:
      return lost(
        part.type,
        `Part of type ${part.type} dropped from a user message: the dialect has no equivalent.`,
      );
  }
}

function encodeImage(part: ImagePart, capabilities: Capabilities): WireContent | undefined {
  const url = toMediaUrl(part.source);
  if (url === undefined || capabilities.images === "none") return undefined;
  if (capabilities.images === "base64" && part.source.kind !== "base64") return undefined;
  return { type: "image_url", image_url: defined({ url, detail: part.detail }) };
}

function encodeDocument(part: DocumentPart, capabilities: Capabilities): WireContent | undefined {
  const { source } = part;
  if (source.kind === "text") return titled(part, source.text);
  if (source.kind === "base64" && source.mediaType.startsWith("text/")) {
    return titled(part, Buffer.from(source.data, "base64").toString());
  }
  if (capabilities.documents === "none" || source.kind === "url") return undefined;
  if (source.kind === "file") return { type: "file", file: { file_id: source.id } };
  return { type: "file", file: { filename: part.name ?? "document.pdf", file_data: toMediaUrl(source) } };
}

function titled(part: DocumentPart, text: string): WireContent {
  return { type: "text", text: withTitle(part, text) };
}

const audioFormats: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function encodeAudio(part: AudioPart, capabilities: Capabilities): WireContent | undefined {
  if (!capabilities.audio || part.source.kind !== "base64") return undefined;
  const format = ownMember(audioFormats, part.source.mediaType);
  return format === undefined
    ? undefined
    : { type: "input_audio", input_audio: { data: part.source.data, format } };
}

/** Returns whether a part has a cache breakpoint. */
export function hasBreakpoint(part: WireContent): boolean {
  return part["cache_control"] !== undefined;
}

/**
 * Returns content in the simplest form that the upstream accepts: a string for a single text without a cache
 * breakpoint, and for several texts if the upstream rejects lists; otherwise a list.
 */
export function textContent(content: readonly WireContent[], capabilities: Capabilities): unknown {
  if (content.some((part) => part.type !== "text" || hasBreakpoint(part))) return content;
  if (content.length <= 1) return content[0]?.["text"] ?? "";
  return capabilities.acceptsContentParts ? content : content.map((part) => part["text"]).join("\n\n");
}
