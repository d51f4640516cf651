import { createHash } from "node:crypto";
import { isObject } from "../exchange/json.ts";
import { countText } from "../usage/count-text.ts";
import type { CalledOperation } from "./operation-path.ts";

type Members = Readonly<Record<string, unknown>>;

/** A PNG image of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const DEFAULT_DIMENSIONS = 8;
const MAX_DIMENSIONS = 4_096;
const MAX_IMAGES = 10;

/** Returns the echo's images, transcript or embeddings for a request with these members. */
export function composeEchoMedia(called: CalledOperation, body: Members): unknown {
  if (called.operation === "transcription") return { text: "Echo: a sound" };
  if (called.operation !== "embed") return composeImages(body);
  return called.model === undefined ? composeEmbeddings(body) : composeGoogleEmbeddings(called, body);
}

function composeImages({ n, response_format }: Members): unknown {
  const image = response_format === "url" ? { url: `data:image/png;base64,${PIXEL}` } : { b64_json: PIXEL };
  const count = typeof n === "number" && n >= 1 ? Math.min(Math.floor(n), MAX_IMAGES) : 1;
  return { created: Math.floor(Date.now() / 1000), data: Array.from({ length: count }, () => image) };
}

/** https://platform.openai.com/docs/api-reference/embeddings/create */
function composeEmbeddings({ input, dimensions, encoding_format, model }: Members): unknown {
  // An array of numbers is one input, given as token ids.
  const inputs = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  const tokens = Math.ceil(inputs.reduce((sum: number, each) => sum + countText(toText(each)), 0));
  return {
    object: "list",
    data: inputs.map((each, index) => {
      const values = embed(toText(each), dimensions);
      const embedding = encoding_format === "base64" ? toBase64(values) : values;
      return { object: "embedding", index, embedding };
    }),
    model: typeof model === "string" ? model : "echo",
    usage: { prompt_tokens: Math.max(1, tokens), total_tokens: Math.max(1, tokens) },
  };
}

/** https://ai.google.dev/api/embeddings */
function composeGoogleEmbeddings(called: CalledOperation, body: Members): unknown {
  const embedOne = (request: unknown) => {
    const { content, outputDimensionality } = isObject(request) ? request : {};
    return { values: embed(toText(content), outputDimensionality) };
  };
  if (!called.path("echo").endsWith(":batchEmbedContents")) return { embedding: embedOne(body) };
  const { requests } = body;
  return { embeddings: Array.isArray(requests) ? requests.map(embedOne) : [embedOne({})] };
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/**
 * Returns a unit vector that depends only on the text, with the requested number of dimensions (8 by default, 4,096 at
 * most).
 */
function embed(text: string, dimensions: unknown): number[] {
  const isValid = typeof dimensions === "number" && dimensions >= 1;
  const length = isValid ? Math.min(Math.floor(dimensions), MAX_DIMENSIONS) : DEFAULT_DIMENSIONS;
  const bytes: number[] = [];
  for (let block = 0; bytes.length < length; block += 1)
    bytes.push(...createHash("sha256").update(`${block} ${text}`).digest());
  const values = bytes.slice(0, length).map((byte) => byte - 127.5);
  const norm = Math.hypot(...values);
  return values.map((value) => value / norm);
}

function toBase64(values: readonly number[]): string {
  return Buffer.from(Float32Array.from(values).buffer).toString("base64");
}
