import type { LossList } from "../../exchange/loss.ts";
import { urlOfSource } from "../../exchange/media.ts";
import type { AudioPart, DocumentPart, ImagePart, MediaSource, Part } from "../../exchange/parts.ts";

/** What a user says, or a tool gives: one content part; undefined where this dialect has none for it. */
export function encodeInputPart(part: Part, losses: LossList): unknown {
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
      losses.add("unknown-part", `A part of the ${part.origin.dialect} dialect is not known here.`);
      return undefined;
    default:
      losses.add(part.type, `A ${part.type} part cannot stand in a user's message.`);
      return undefined;
  }
}

function encodeImage(part: ImagePart, losses: LossList): unknown {
  const detail = { detail: part.detail ?? "auto" };
  const { source } = part;
  if (source.kind !== "file") return { type: "input_image", image_url: urlOfSource(source), ...detail };
  return isForeignFile(part, losses) ? undefined : { type: "input_image", file_id: source.id, ...detail };
}

function encodeDocument(part: DocumentPart, losses: LossList): unknown {
  const { source } = part;
  if (part.context !== undefined)
    losses.add("document-context", "A document's context cannot be said apart.");
  if (part.citations === true)
    losses.add("document-citations", "Citations of a document cannot be asked for.");
  if (source.kind === "text") return titled(part, source.text);
  // What is nothing but words every model reads.
  if (source.kind === "base64" && source.mediaType.startsWith("text/")) {
    return titled(part, Buffer.from(source.data, "base64").toString());
  }
  const filename = part.name === undefined ? {} : { filename: part.name };
  if (source.kind === "url") return { type: "input_file", file_url: source.url, ...filename };
  if (source.kind === "base64") {
    return { type: "input_file", filename: part.name ?? fileName(source), file_data: urlOfSource(source) };
  }
  return isForeignFile(part, losses) ? undefined : { type: "input_file", file_id: source.id, ...filename };
}

function titled(part: DocumentPart, words: string): unknown {
  return { type: "input_text", text: part.name === undefined ? words : `${part.name}\n\n${words}` };
}

/** The vendor wants a name beside the bytes, and reads the kind of file from its ending. */
function fileName(source: Extract<MediaSource, { kind: "base64" }>): string {
  const ending = source.mediaType.split("/")[1]?.replace(/^x-|\+[\s\S]*$/g, "") ?? "bin";
  return `document.${ending === "plain" ? "txt" : ending}`;
}

function encodeAudio(part: AudioPart, losses: LossList): unknown {
  if (part.source.kind !== "base64") {
    losses.add("audio", "Audio can only be sent with its bytes.");
    return undefined;
  }
  const format = part.source.mediaType.replace(/^audio\//, "").replace(/^(?:x-)?wave?$/, "wav");
  return {
    type: "input_audio",
    input_audio: { data: part.source.data, format: format === "mpeg" ? "mp3" : format },
  };
}

/** An id of a file means something to the vendor it was uploaded to, and to no other. */
function isForeignFile(part: ImagePart | DocumentPart, losses: LossList): boolean {
  if (part.origin === undefined || part.origin.dialect === "responses") return false;
  losses.add("file-reference", "A file uploaded to another vendor cannot be used here.");
  return true;
}
