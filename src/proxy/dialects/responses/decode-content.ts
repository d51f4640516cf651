import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { getFileOrigin, sniffMediaType, toMediaSource, withSniffedType } from "../../exchange/media.ts";
import type { Citation, MediaSource, Part } from "../../exchange/parts.ts";
import { isPauseDue, mapInSteps, type Steps } from "../../exchange/steps.ts";
import { decodeTokens } from "../shared/token-logprobs.ts";
import { annotationSchema, type WireContent } from "./schema.ts";

/**
 * Converts the content of a message or a tool output to parts and skips empty text. Throws `DialectError` (400) for an
 * image, file or audio part without content.
 */
export function* decodeContent(content: string | readonly WireContent[] | null | undefined): Steps<Part[]> {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  const parts: Part[] = [];
  for (const wire of content) {
    if (isPauseDue()) yield;
    const citations = wire.annotations ? yield* mapInSteps(wire.annotations, decodeAnnotation) : [];
    const part = decodeContentPart(wire, citations);
    if (part.type !== "text" || part.text !== "") parts.push(part);
  }
  return parts;
}

function decodeContentPart(part: WireContent, citations: Citation[]): Part {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return decodeText(part, citations);
    case "refusal":
      return { type: "refusal", text: part.refusal ?? "" };
    case "input_image": {
      const source = decodeImageSource(part);
      return {
        type: "image",
        source,
        ...(typeof part.detail === "string" && part.detail !== "auto" ? { detail: part.detail } : {}),
        ...getFileOrigin(source, "responses", part),
      };
    }
    case "input_file": {
      const source = decodeFileSource(part);
      return {
        type: "document",
        source,
        ...(typeof part.filename === "string" ? { name: part.filename } : {}),
        ...getFileOrigin(source, "responses", part),
      };
    }
    case "input_audio":
      if (!part.input_audio) throw invalidRequest("An input_audio part requires the member input_audio.");
      return {
        type: "audio",
        source: {
          kind: "base64",
          mediaType: part.input_audio.format === "mp3" ? "audio/mpeg" : `audio/${part.input_audio.format}`,
          data: part.input_audio.data,
        },
      };
    default:
      return { type: "unknown", origin: { dialect: "responses", raw: part } };
  }
}

function decodeText(part: WireContent, citations: Citation[]): Part {
  const logprobs = decodeTokens(part.logprobs);
  return {
    type: "text",
    text: part.text ?? "",
    ...(citations.length > 0 ? { citations } : {}),
    logprobs,
  };
}

/** Converts an annotation and keeps its original form. Other dialects support only citations with a URL. */
export function decodeAnnotation(value: unknown): Citation {
  const parsed = annotationSchema.safeParse(value, FIRST_ISSUE);
  const origin = { dialect: "responses", raw: value } as const;
  if (!parsed.success) return { origin };
  const { url, title, start_index, end_index, filename } = parsed.data;
  const name = title ?? filename;
  return {
    ...(typeof url === "string" ? { url } : {}),
    ...(typeof name === "string" ? { title: name } : {}),
    ...(typeof start_index === "number" ? { start: start_index } : {}),
    ...(typeof end_index === "number" ? { end: end_index } : {}),
    origin,
  };
}

function decodeImageSource(part: WireContent): MediaSource {
  const url = typeof part.image_url === "string" ? part.image_url : part.image_url?.url;
  if (typeof url === "string") return withSniffedType(toMediaSource(url));
  if (typeof part.file_id === "string") return { kind: "file", id: part.file_id };
  throw invalidRequest("An input_image part requires image_url or file_id.");
}

function decodeFileSource(part: WireContent): MediaSource {
  if (typeof part.file_data === "string") {
    if (part.file_data.startsWith("data:")) return toMediaSource(part.file_data);
    const mediaType = sniffMediaType(part.file_data, "application/octet-stream");
    return { kind: "base64", mediaType, data: part.file_data };
  }
  if (typeof part.file_url === "string") return { kind: "url", url: part.file_url };
  if (typeof part.file_id === "string") return { kind: "file", id: part.file_id };
  throw invalidRequest("An input_file part requires file_data, file_url or file_id.");
}
