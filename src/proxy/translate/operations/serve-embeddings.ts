import { AppError } from "../../../errors.ts";
import type { JsonBounds } from "../../../json/bounds.ts";
import { getProfile } from "../../dialects/index.ts";
import { type DialectError, invalidResponse } from "../../exchange/dialect-error.ts";
import { countText } from "../../usage/count-text.ts";
import { readRequestJson } from "../request/read-json.ts";
import { RESPONSE_BOUNDS } from "../response/read-response.ts";
import type { TranslatedCall, TranslationOutcome } from "../translate-call.ts";
import {
  type EmbeddingRequest,
  readGoogleBatch,
  readGoogleEmbeddings,
  readOpenAiEmbeddings,
  readOpenAiVectors,
  writeGoogleBatch,
  writeGoogleVectors,
  writeOpenAiEmbeddings,
  writeOpenAiVectors,
} from "./embeddings.ts";
import { type OperationContext, serveOperation } from "./operation-context.ts";

/** Translates embeddings between `/v1/embeddings` and the methods of the generative-language dialect. */
export function serveEmbeddings(call: TranslatedCall): Promise<TranslationOutcome> {
  const { client, target } = call;
  const { mediaForm } = getProfile(target.dialect);
  if (mediaForm === "google") return serveOperation(call, askGoogle);
  if (mediaForm === "openai" && getProfile(client.dialect).mediaForm === "google")
    return serveOperation(call, askOpenAi);
  throw new AppError("unsupported", `The upstream ${target.upstream} does not create embeddings.`);
}

/** Returns the bounds of a response with a vector for each text. The longest vectors have about 8,000 dimensions. */
function getBounds({ texts }: EmbeddingRequest): JsonBounds {
  return { ...RESPONSE_BOUNDS, values: Math.min(8_000_000, RESPONSE_BOUNDS.values + texts.length * 10_000) };
}

async function askGoogle(context: OperationContext): Promise<void> {
  const { call } = context;
  const request = readOpenAiEmbeddings(await readRequestJson(call.body), context.losses);
  const { model } = call.target;
  const path = `/models/${encodeURIComponent(model)}:batchEmbedContents`;
  const batch = await context.ask(path, writeGoogleBatch(request, model), getBounds(request));
  if (batch === undefined) return;
  const vectors = readGoogleBatch(batch);
  if (vectors?.length !== request.texts.length) throw createCountError(vectors?.length, request.texts.length);
  // The vendor reports no usage here, but typed clients require a count.
  const tokens = Math.ceil(request.texts.reduce((sum, text) => sum + countText(text), 0));
  context.usage = { input: { total: tokens }, output: { total: 0 }, estimated: true };
  const { base64 } = request;
  context.send(JSON.stringify(writeOpenAiVectors(vectors, { base64, model: call.client.model, tokens })));
}

async function askOpenAi(context: OperationContext): Promise<void> {
  const { call } = context;
  const request = readGoogleEmbeddings(await readRequestJson(call.body), context.losses);
  const body = writeOpenAiEmbeddings(request, call.target.model);
  const list = await context.ask("/embeddings", body, getBounds(request));
  if (list === undefined) return;
  const embeddings = readOpenAiVectors(list);
  if (embeddings?.vectors.length !== request.texts.length)
    throw createCountError(embeddings?.vectors.length, request.texts.length);
  if (embeddings.tokens !== undefined)
    context.usage = { input: { total: embeddings.tokens }, output: { total: 0 } };
  context.send(JSON.stringify(writeGoogleVectors(embeddings.vectors, request.batch)));
}

function createCountError(count: number | undefined, expected: number): DialectError {
  return invalidResponse(
    count === undefined || count === 0
      ? "The upstream returned no embeddings."
      : `The upstream returned the wrong number of embeddings: ${count} instead of ${expected}.`,
  );
}
