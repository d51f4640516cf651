import { isObject, stringifyJson } from "../../exchange/json.ts";
import type { MediaSource, Part, ReasoningPart, TextPart } from "../../exchange/parts.ts";
import { unwrapSignature } from "../../exchange/signature.ts";
import type { WirePart } from "./schema.ts";

/** Returns a text part with its signature, if any. */
export function signedText(text: string, thoughtSignature: string | null | undefined): TextPart {
  if (typeof thoughtSignature !== "string") return { type: "text", text };
  return { type: "text", text, signature: thoughtSignature };
}

/** Returns a reasoning part with its unwrapped signature, if any, and the vendor that created the reasoning. */
export function decodeThought(text: string, thoughtSignature: string | null | undefined): ReasoningPart {
  if (typeof thoughtSignature !== "string") return { type: "reasoning", text, vendor: "generative-language" };
  return { type: "reasoning", text, ...unwrapSignature("generative-language", thoughtSignature) };
}

/** Converts inline data or a file to an image, audio, video or document part, depending on its media type. */
export function decodeMedia(part: WirePart): Part {
  const { inlineData, fileData } = part;
  if (inlineData) {
    const mediaType = inlineData.mimeType ?? "application/octet-stream";
    return mediaPart(
      mediaType,
      { kind: "base64", mediaType, data: inlineData.data },
      inlineData.displayName,
      part,
    );
  }
  const mediaType = fileData?.mimeType ?? getTypeByExtension(fileData?.fileUri ?? "");
  return mediaPart(
    mediaType,
    fileSource(fileData?.fileUri ?? "", fileData?.mimeType),
    fileData?.displayName,
    part,
  );
}

function mediaPart(
  mediaType: string,
  source: MediaSource,
  name: string | null | undefined,
  raw: WirePart,
): Part {
  // The origin records the vendor, because the id of a file is valid at that vendor only.
  const origin = source.kind === "file" ? { origin: { dialect: "generative-language", raw } as const } : {};
  if (mediaType.startsWith("image/"))
    return { type: "image", source, ...decodeDetail(raw), ...signed(raw), ...origin };
  if (mediaType.startsWith("audio/")) return { type: "audio", source, ...origin };
  if (mediaType.startsWith("video/")) return { type: "video", source, ...origin };
  return { type: "document", source, ...(typeof name === "string" ? { name } : {}), ...origin };
}

/** Converts the media resolution of an image to `detail`: low or high, the levels that other vendors support. */
function decodeDetail({ mediaResolution }: WirePart): { readonly detail?: string } {
  const level = isObject(mediaResolution) ? String(mediaResolution["level"]) : "";
  if (level.endsWith("_LOW")) return { detail: "low" };
  return level.endsWith("_HIGH") ? { detail: "high" } : {};
}

function signed({ thoughtSignature }: WirePart): { readonly signature?: string } {
  return typeof thoughtSignature === "string" ? { signature: thoughtSignature } : {};
}

function fileSource(uri: string, mediaType: string | null | undefined): MediaSource {
  const type = typeof mediaType === "string" ? { mediaType } : {};
  const isUpload = uri.startsWith("gs://") || uri.includes("generativelanguage.googleapis.com/");
  return isUpload ? { kind: "file", id: uri, ...type } : { kind: "url", url: uri, ...type };
}

function getTypeByExtension(uri: string): string {
  const extension = /\.([a-z0-9]+)(?:[?#][\s\S]*)?$/i.exec(uri)?.[1]?.toLowerCase() ?? "";
  if (["png", "jpg", "jpeg", "webp", "gif", "heic"].includes(extension)) return `image/${extension}`;
  if (["mp3", "wav", "ogg", "flac", "m4a"].includes(extension)) return `audio/${extension}`;
  if (["mp4", "mov", "webm", "mpeg"].includes(extension)) return `video/${extension}`;
  return /youtu\.?be/.test(uri) ? "video/mp4" : "application/octet-stream";
}

/** Converts a part of the vendor's code execution tool; returns undefined for any other part. */
export function decodeCodeExecution(part: WirePart): Part | undefined {
  const origin = { dialect: "generative-language", raw: part } as const;
  const base = { type: "server-tool", tool: "code-execution", name: "code_execution", origin } as const;
  if (part.executableCode !== undefined) return { ...base, phase: "call", input: part.executableCode };
  if (part.codeExecutionResult !== undefined) {
    return { ...base, phase: "result", output: part.codeExecutionResult };
  }
  return undefined;
}

/** Returns the arguments of a call as JSON text; `{}` if there are none. */
export function argumentsText(args: unknown): string {
  return args === undefined || args === null ? "{}" : stringifyJson(args);
}

/**
 * Appends a part, or joins it to the last part if both are text, or both are reasoning, and the last part is unsigned.
 */
export function appendJoined(parts: Part[], part: Part): void {
  const before = parts.at(-1);
  if (part.type === "text" && before?.type === "text" && before.signature === undefined) {
    parts[parts.length - 1] = { ...part, text: before.text + part.text };
  } else if (part.type === "reasoning" && before?.type === "reasoning" && before.signature === undefined) {
    parts[parts.length - 1] = { ...part, text: before.text + part.text };
  } else parts.push(part);
}
