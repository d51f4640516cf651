import { z } from "zod";
import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import { invalidBody } from "../../dialects/shared/parse.ts";
import { DialectError, invalidRequest } from "../../exchange/dialect-error.ts";
import type { LossList } from "../../exchange/loss.ts";
import { memberCode } from "../../exchange/loss-codes.ts";
import { sniffMediaType } from "../../exchange/media.ts";
import type { Part } from "../../exchange/parts.ts";
import type { ExchangeResponse, Usage } from "../../exchange/response.ts";
import { MAX_IMAGES } from "../request/separate-candidates.ts";
import type { Form, FormFile } from "./read-form.ts";

/** An image request, independent of any vendor. */
export interface ImageRequest {
  readonly prompt: string;
  readonly count: number;
  /** Images to edit; empty for a generation. */
  readonly images: readonly FormFile[];
  readonly aspectRatio: string | undefined;
  /** The form of the images. `url` stands for data URLs, because the proxy stores no images to fetch. */
  readonly responseFormat: "b64_json" | "url";
  readonly stream: boolean;
}

const schema = z.looseObject({
  prompt: z.string().min(1),
  n: z.number().int().min(1).max(MAX_IMAGES).nullish(),
  size: z.string().nullish(),
  response_format: z.enum(["url", "b64_json"]).nullish(),
  stream: z.boolean().nullish(),
});

/** Members that are translated or need no translation, so that they are not reported as losses. */
const understood = new Set(["model", "prompt", "n", "size", "response_format", "stream", "image"]);

/**
 * Parses a request to `POST /v1/images/generations` (https://platform.openai.com/docs/api-reference/images). Throws
 * `DialectError` (400) if the body is invalid.
 */
export function readGeneration(body: unknown, losses: LossList): ImageRequest {
  const parsed = schema.safeParse(body, FIRST_ISSUE);
  if (!parsed.success) throw invalidBody(parsed.error);
  const { prompt, n, size, response_format: format, stream, ...further } = parsed.data;
  for (const [name, value] of Object.entries(further)) {
    if (understood.has(name) || value === undefined || value === null || value === "auto") continue;
    losses.add(memberCode(name), `\`${name}\` dropped: the upstream's image generation has no equivalent.`);
  }
  return {
    prompt,
    count: n ?? 1,
    images: [],
    aspectRatio: toAspectRatio(size ?? "auto", losses),
    responseFormat: format ?? "b64_json",
    stream: stream ?? false,
  };
}

/**
 * Parses a request to `POST /v1/images/edits`, a form with the members of a generation and the images as files. Throws
 * `DialectError` (400) if the form is invalid or has no image.
 */
export function readEdit(form: Form, losses: LossList): ImageRequest {
  const fields = Object.fromEntries([...form.fields].map(([name, values]) => [name, values.at(-1)]));
  const { n, stream } = fields;
  const request = readGeneration(
    {
      ...fields,
      ...(n === undefined ? {} : { n: Number(n) }),
      ...(stream === undefined ? {} : { stream: stream === "true" }),
    },
    losses,
  );
  const images = form.files.get("image") ?? [];
  if (images.length === 0) throw invalidRequest("Missing required parameter: 'image'.", "image");
  if (form.files.has("mask"))
    losses.add("mask", "`mask` dropped: the upstream's model edits whole images only.");
  return { ...request, images: images.map(withMediaType) };
}

function withMediaType(file: FormFile): FormFile {
  const declared = file.mediaType.startsWith("image/") ? file.mediaType : "image/png";
  return { ...file, mediaType: sniffMediaType(file.data, declared) };
}

/** Aspect ratios that the vendor's models support. */
const ratios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];

function toAspectRatio(size: string, losses: LossList): string | undefined {
  if (size === "auto" || size === "") return undefined;
  const match = /^(\d+)x(\d+)$/.exec(size);
  if (match === null) throw invalidRequest(`Invalid value for 'size': ${JSON.stringify(size)}.`, "size");
  losses.add("size", "`size` sent as an aspect ratio: the upstream has no pixel sizes.");
  const wanted = Number(match[1]) / Number(match[2]);
  const distance = (ratio: string) => {
    const [width = "1", height = "1"] = ratio.split(":");
    return Math.abs(Math.log(Number(width) / Number(height) / wanted));
  };
  return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** Returns a `generateContent` request for one image, for a model that also writes text. */
export function writeSpokenImage(request: ImageRequest): unknown {
  const images = request.images.map(({ mediaType, data }) => ({
    inlineData: { mimeType: mediaType, data },
  }));
  const imageConfig =
    request.aspectRatio === undefined ? {} : { imageConfig: { aspectRatio: request.aspectRatio } };
  return {
    contents: [{ role: "user", parts: [...images, { text: request.prompt }] }],
    generationConfig: { responseModalities: ["TEXT", "IMAGE"], ...imageConfig },
  };
}

/** Returns a `predict` request for images, for an Imagen model (https://ai.google.dev/gemini-api/docs/imagen). */
export function writePaintedImages(request: ImageRequest): unknown {
  const aspectRatio = request.aspectRatio === undefined ? {} : { aspectRatio: request.aspectRatio };
  return {
    instances: [{ prompt: request.prompt }],
    parameters: { sampleCount: request.count, ...aspectRatio },
  };
}

export interface GeneratedImage {
  readonly mediaType: string;
  readonly data: string;
}

/**
 * Returns the images of a `generateContent` response. Throws `DialectError` (400) with the model's text or finish
 * reason if there are none.
 */
export function getImages(response: ExchangeResponse): readonly GeneratedImage[] {
  const parts = response.candidates.flatMap((candidate) => candidate.parts);
  const images = parts.flatMap(toImage);
  if (images.length > 0) return images;
  const text = parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("")
    .trim();
  const reason = response.candidates[0]?.finish;
  throw createNoImageError(
    text || reason?.message || `The model returned no image (${reason?.raw ?? "no reason given"}).`,
  );
}

function toImage(part: Part): GeneratedImage[] {
  return part.type === "image" && part.source.kind === "base64"
    ? [{ mediaType: part.source.mediaType, data: part.source.data }]
    : [];
}

const predictions = z.looseObject({
  predictions: z
    .array(
      z.looseObject({
        mimeType: z.string().optional(),
        bytesBase64Encoded: z.string().optional(),
        raiFilteredReason: z.string().optional(),
      }),
    )
    .optional(),
});

/** Returns the images of a `predict` response. Throws `DialectError` (400) if there are none. */
export function readPaintedImages(body: unknown): readonly GeneratedImage[] {
  const parsed = predictions.safeParse(body, FIRST_ISSUE);
  const rows = (parsed.success ? parsed.data.predictions : undefined) ?? [];
  const images = rows.flatMap((row) =>
    row.bytesBase64Encoded === undefined
      ? []
      : [{ mediaType: row.mimeType ?? "image/png", data: row.bytesBase64Encoded }],
  );
  if (images.length > 0) return images;
  throw createNoImageError(rows[0]?.raiFilteredReason ?? "The model returned no image.");
}

function createNoImageError(message: string): DialectError {
  return new DialectError({
    kind: "invalid-request",
    status: 400,
    message,
    code: "moderation_blocked",
  });
}

/** Returns the response to `/v1/images/*`; `created` is in seconds since 1970. */
export function writeImages(
  images: readonly GeneratedImage[],
  request: Pick<ImageRequest, "responseFormat">,
  created: number,
  usage: Usage | undefined,
): Readonly<Record<string, unknown>> {
  const data = images.map((image) =>
    request.responseFormat === "url"
      ? { url: `data:${image.mediaType};base64,${image.data}` }
      : { b64_json: image.data },
  );
  const format = images[0]?.mediaType.replace(/^image\//, "") ?? "png";
  return { created, data, output_format: format, ...toUsage(usage) };
}

function toUsage(usage: Usage | undefined): Readonly<Record<string, unknown>> {
  const { total: input } = usage?.input ?? {};
  const { total: output } = usage?.output ?? {};
  if (input === undefined || output === undefined) return {};
  return { usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } };
}
