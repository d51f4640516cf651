import { z } from "zod";
import { FIRST_ISSUE } from "../../../json/first-issue.ts";
import { invalidBody } from "../../dialects/shared/parse.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import { toCount } from "../../exchange/usage.ts";

/** An embeddings request, independent of any vendor. */
export interface EmbeddingRequest {
  readonly texts: readonly string[];
  readonly dimensions: number | undefined;
}

const openAiSchema = z.looseObject({
  input: z.union([z.string(), z.array(z.string()), z.array(z.number()), z.array(z.array(z.number()))]),
  dimensions: z.number().int().positive().nullish(),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  user: z.string().nullish(),
});

/**
 * Parses a request to `POST /v1/embeddings` (https://platform.openai.com/docs/api-reference/embeddings). Throws
 * `DialectError` (400) if the body is invalid or contains token ids.
 */
export function readOpenAiEmbeddings(
  body: unknown,
  losses: LossList,
): EmbeddingRequest & { readonly base64: boolean } {
  const parsed = openAiSchema.safeParse(body, FIRST_ISSUE);
  if (!parsed.success) throw invalidBody(parsed.error);
  const { input, dimensions, encoding_format: format, user } = parsed.data;
  const texts = typeof input === "string" ? [input] : input.filter((text) => typeof text === "string");
  if (Array.isArray(input) && input.length === 0)
    throw invalidRequest("`input` is empty. Send at least one text.", "input");
  if (typeof input !== "string" && texts.length < input.length) {
    throw invalidRequest("The upstream does not accept token ids. Send `input` as text.", "input");
  }
  if (user) losses.add("user", "`user` dropped: the generative-language dialect has no equivalent.");
  return { texts, dimensions: dimensions ?? undefined, base64: format === "base64" };
}

/** Returns a request to `batchEmbedContents` (https://ai.google.dev/api/embeddings), even for a single text. */
export function writeGoogleBatch(request: EmbeddingRequest, model: string): unknown {
  return {
    requests: request.texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      outputDimensionality: request.dimensions,
    })),
  };
}

const googleVectors = z.looseObject({
  embeddings: z.array(z.looseObject({ values: z.array(z.number()) })),
});

/** Returns the vectors of a `batchEmbedContents` response; undefined if it is invalid. */
export function readGoogleBatch(body: unknown): readonly (readonly number[])[] | undefined {
  const parsed = googleVectors.safeParse(body, FIRST_ISSUE);
  return parsed.success ? parsed.data.embeddings.map((embedding) => embedding.values) : undefined;
}

/**
 * Returns the response to `POST /v1/embeddings`, with vectors as numbers or as base64 of little-endian 32-bit floats.
 */
export function writeOpenAiVectors(
  vectors: readonly (readonly number[])[],
  options: { readonly base64: boolean; readonly model: string; readonly tokens: number },
): unknown {
  const { base64, model, tokens } = options;
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: base64 ? Buffer.from(Float32Array.from(vector).buffer).toString("base64") : vector,
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

const content = z.looseObject({ parts: z.array(z.looseObject({ text: z.string().optional() })) });
const one = z.looseObject({
  content,
  outputDimensionality: z.number().int().positive().optional(),
  output_dimensionality: z.number().int().positive().optional(),
});
const several = z.looseObject({ requests: z.array(one).min(1) });
const unsaid = { taskType: "task-type", task_type: "task-type", title: "title" } as const;

/**
 * Parses a request to `embedContent` or `batchEmbedContents`. `batch` is set for the latter, whose response has another
 * form. The first request of a batch determines the dimensions of all vectors. Throws `DialectError` (400) if the body
 * is invalid or contains anything other than text.
 */
export function readGoogleEmbeddings(
  body: unknown,
  losses: LossList,
): EmbeddingRequest & { readonly batch: boolean } {
  const batch = isObject(body) && "requests" in body;
  const parsed = several.safeParse(batch ? body : { requests: [body] }, FIRST_ISSUE);
  if (!parsed.success) throw invalidBody(parsed.error);
  const { requests } = parsed.data;
  for (const name of ["taskType", "task_type", "title"] as const) {
    if (requests.some((request) => request[name] !== undefined)) {
      losses.add(unsaid[name], `\`${name}\` dropped: the upstream's embeddings have no equivalent.`);
    }
  }
  const dimensions = requests[0]?.outputDimensionality ?? requests[0]?.output_dimensionality;
  return { texts: requests.map((request) => joinText(request.content.parts)), dimensions, batch };
}

function joinText(parts: readonly { readonly text?: string | undefined }[]): string {
  if (parts.some((part) => part.text === undefined)) {
    throw invalidRequest("The upstream embeds text only.", "content.parts");
  }
  return parts.map((part) => part.text).join("\n");
}

/** Returns a request to `POST /v1/embeddings`. */
export function writeOpenAiEmbeddings(request: EmbeddingRequest, model: string): unknown {
  return {
    model,
    input: request.texts,
    encoding_format: "float",
    dimensions: request.dimensions,
  };
}

const openAiVectors = z.looseObject({
  data: z.array(z.looseObject({ index: z.number().optional(), embedding: z.array(z.number()) })),
  usage: z.looseObject({ prompt_tokens: z.number().optional() }).optional(),
});

/**
 * Returns the vectors in the order of the texts, and the token count if there is one; undefined if the response is
 * invalid.
 */
export function readOpenAiVectors(
  body: unknown,
): { readonly vectors: readonly (readonly number[])[]; readonly tokens: number | undefined } | undefined {
  const parsed = openAiVectors.safeParse(body, FIRST_ISSUE);
  if (!parsed.success) return undefined;
  const rows = [...parsed.data.data].sort((left, right) => (left.index ?? 0) - (right.index ?? 0));
  return { vectors: rows.map((row) => row.embedding), tokens: toCount(parsed.data.usage?.prompt_tokens) };
}

/** Returns the response to `embedContent` or, with `batch`, to `batchEmbedContents`. */
export function writeGoogleVectors(vectors: readonly (readonly number[])[], batch: boolean): unknown {
  const embeddings = vectors.map((values) => ({ values }));
  return batch ? { embeddings } : { embedding: embeddings[0] };
}
