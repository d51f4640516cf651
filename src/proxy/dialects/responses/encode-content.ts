import type { Capabilities } from "../../exchange/capabilities.ts";
import type { LossList } from "../../exchange/loss.ts";
import { isForeignFile, toMediaUrl } from "../../exchange/media.ts";
import type { AudioPart, DocumentPart, ImagePart, MediaSource, Part } from "../../exchange/parts.ts";
import { withTitle } from "../../exchange/with-title.ts";
import { loseDocumentOptions, loseForeignFile } from "../shared/losses.ts";

/** The upstream's capabilities and the list that receives losses while content is encoded. */
export interface InputContext {
  readonly capabilities: Pick<Capabilities, "images" | "documents" | "audio">;
  readonly losses: LossList;
}

/**
 * Encodes a part of a user message or a tool result. Returns undefined and adds a loss if the dialect or the model
 * does not support the part.
 */
export function encodeInputPart(part: Part, { capabilities, losses }: InputContext): unknown {
  const isTaken =
    part.type === "image"
      ? isAccepted(capabilities.images, part, losses)
      : part.type === "document" && !isText(part)
        ? isAccepted(capabilities.documents, part, losses)
        : part.type !== "audio" || isAccepted(capabilities.audio ? "any" : "none", part, losses);
  if (!isTaken) return undefined;
  switch (part.type) {
    case "text":
      return { type: "input_text", text: part.text };
    case "refusal":
      return { type: "input_text", text: part.text };
    case "image":
      return encodeImage(part, losses);
    case "document":
      return encodeDocument(part, losses);
    case "audio":
      return encodeAudio(part, losses);
    case "unknown":
      if (part.origin.dialect === "responses") return part.origin.raw;
      losses.add("unknown", `Part dropped: only the ${part.origin.dialect} dialect has its type.`);
      return undefined;
    default:
      losses.add(
        part.type,
        `Part of type ${part.type} dropped from a user message: the dialect has no equivalent.`,
      );
      return undefined;
  }
}

function isAccepted(
  accepted: "any" | "base64" | "none",
  part: ImagePart | DocumentPart | AudioPart,
  losses: LossList,
): boolean {
  if (accepted === "none")
    losses.add(part.type, `Part of type ${part.type} dropped: the model does not support it.`);
  else if (accepted === "base64" && part.source.kind === "url")
    losses.add(
      `${part.type}-url`,
      `Part of type ${part.type} given by URL dropped: the model requires its bytes.`,
    );
  else return true;
  return false;
}

/** Returns whether a document is plain text, which every model supports. */
function isText({ source }: DocumentPart): boolean {
  return source.kind === "text" || (source.kind === "base64" && source.mediaType.startsWith("text/"));
}

function encodeImage(part: ImagePart, losses: LossList): unknown {
  const detail = { detail: part.detail ?? "auto" };
  const { source } = part;
  if (source.kind !== "file") return { type: "input_image", image_url: toMediaUrl(source), ...detail };
  return isForeign(part, losses) ? undefined : { type: "input_image", file_id: source.id, ...detail };
}

function encodeDocument(part: DocumentPart, losses: LossList): unknown {
  const { source } = part;
  loseDocumentOptions(part, losses);
  if (source.kind === "text") return titled(part, source.text);
  if (source.kind === "base64" && source.mediaType.startsWith("text/")) {
    return titled(part, Buffer.from(source.data, "base64").toString());
  }
  const filename = part.name === undefined ? {} : { filename: part.name };
  if (source.kind === "url") return { type: "input_file", file_url: source.url, ...filename };
  if (source.kind === "base64") {
    return { type: "input_file", filename: part.name ?? fileName(source), file_data: toMediaUrl(source) };
  }
  return isForeign(part, losses) ? undefined : { type: "input_file", file_id: source.id, ...filename };
}

function titled(part: DocumentPart, text: string): unknown {
  return { type: "input_text", text: withTitle(part, text) };
}

/** Returns a file name, which the vendor requires; its extension determines the file type. */
function fileName(source: Extract<MediaSource, { kind: "base64" }>): string {
  const subtype = source.mediaType.split("/")[1]?.replace(/^x-|\+[\s\S]*$/g, "") ?? "bin";
  return `document.${subtype === "plain" ? "txt" : subtype}`;
}

function encodeAudio(part: AudioPart, losses: LossList): unknown {
  if (part.source.kind !== "base64") {
    losses.add("audio", "Audio given by URL dropped: the upstream requires its bytes.");
    return undefined;
  }
  const format = part.source.mediaType.replace(/^audio\//, "").replace(/^(?:x-)?wave?$/, "wav");
  return {
    type: "input_audio",
    input_audio: { data: part.source.data, format: format === "mpeg" ? "mp3" : format },
  };
}

function isForeign(part: ImagePart | DocumentPart, losses: LossList): boolean {
  const isForeign = isForeignFile(part, "responses");
  if (isForeign) loseForeignFile(losses);
  return isForeign;
}
