import { z } from "zod";
import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import { defined } from "../../exchange/defined.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import { getFileOrigin, sniffMediaType, toMediaSource, withSniffedType } from "../../exchange/media.ts";
import type { Part } from "../../exchange/parts.ts";
import { isPauseDue, type Steps } from "../../exchange/steps.ts";
import { decodeCacheControl } from "../shared/cache-control.ts";
import type { WirePart } from "./schema.ts";

const textPart = z.looseObject({ text: z.string() });
const refusalPart = z.looseObject({ refusal: z.string() });
const imagePart = z.looseObject({
  image_url: z.union([z.string(), z.looseObject({ url: z.string(), detail: z.string().nullish() })]),
});
const audioPart = z.looseObject({ input_audio: z.looseObject({ data: z.string(), format: z.string() }) });
const videoPart = z.looseObject({ video_url: z.looseObject({ url: z.string() }) });
const filePart = z.looseObject({
  file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
});

/**
 * Converts the `content` of a message to parts and skips empty text. Throws `DialectError` (400) for an invalid part;
 * the error's path starts with `path`.
 */
export function* decodeContent(
  content: string | readonly WirePart[] | null | undefined,
  path: string,
): Steps<Part[]> {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  const parts: Part[] = [];
  for (const [index, part] of (content ?? []).entries()) {
    if (isPauseDue()) yield;
    parts.push(...decodePart(part, `${path}[${index}]`));
  }
  return parts;
}

function decodePart(part: WirePart, path: string): Part[] {
  const cache = decodeCacheControl(part["cache_control"]);
  const decoded = decodeBare(part, path);
  return cache === undefined ? decoded : decoded.map((one) => ({ cache, ...one }));
}

function decodeBare(part: WirePart, path: string): Part[] {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text": {
      const { text } = read(textPart, part, path);
      return text === "" ? [] : [{ type: "text", text }];
    }
    case "thinking":
      return [decodeThinking(part)];
    case "refusal":
      return [{ type: "refusal", text: read(refusalPart, part, path).refusal }];
    case "image_url": {
      const image = read(imagePart, part, path).image_url;
      const url = typeof image === "string" ? image : image.url;
      const detail = typeof image === "string" ? undefined : (image.detail ?? undefined);
      return [defined({ type: "image" as const, source: withSniffedType(toMediaSource(url)), detail })];
    }
    case "input_audio": {
      const { data, format } = read(audioPart, part, path).input_audio;
      return [{ type: "audio", source: { kind: "base64", mediaType: audioType(format), data } }];
    }
    case "video_url":
      return [{ type: "video", source: toMediaSource(read(videoPart, part, path).video_url.url) }];
    case "file":
      return [decodeFile(read(filePart, part, path).file, path)];
    default:
      return [{ type: "unknown", origin: { dialect: "chat-completions", raw: part } }];
  }
}

/**
 * Converts reasoning that Mistral sends as a part: `{type: "thinking", thinking: [{type: "text", text}]}`.
 */
function decodeThinking(part: WirePart): Part {
  return { type: "reasoning", text: getThought(part), vendor: "chat-completions" };
}

/** Returns the text of a `thinking` part. */
export function getThought({ thinking }: WirePart): string {
  if (typeof thinking === "string") return thinking;
  const pieces = Array.isArray(thinking) ? thinking.filter(isObject) : [];
  return pieces.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

function decodeFile(file: z.infer<typeof filePart>["file"], path: string): Part {
  const name = file.filename ?? undefined;
  if (file.file_id) {
    const source = { kind: "file", id: file.file_id } as const;
    return defined({
      type: "document" as const,
      source,
      name,
      ...getFileOrigin(source, "chat-completions", file),
    });
  }
  if (!file.file_data) throw invalidRequest(`${path}.file needs file_data or file_id`, path);
  const source = file.file_data.startsWith("data:")
    ? toMediaSource(file.file_data)
    : ({
        kind: "base64",
        mediaType: sniffMediaType(file.file_data, "application/octet-stream"),
        data: file.file_data,
      } as const);
  if (source.kind === "base64" && source.mediaType.startsWith("image/")) return { type: "image", source };
  return defined({ type: "document" as const, source, name });
}

function audioType(format: string): string {
  return format === "mp3" ? "audio/mpeg" : `audio/${format}`;
}

function read<Schema extends z.ZodType>(schema: Schema, part: WirePart, path: string): z.infer<Schema> {
  const result = schema.safeParse(part, FIRST_ISSUE);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const at = [path, ...(issue?.path ?? [])].join(".");
  throw invalidRequest(`${at}: ${issue?.message ?? "not acceptable"}`, at);
}
