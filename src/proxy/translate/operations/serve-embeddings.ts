import { AppError } from "../../../errors.ts";
import type { JsonBounds } from "../../../json/bounds.ts";
import { getProfile } from "../../dialects/index.ts";
import { unreadableAnswer } from "../../exchange/dialect-error.ts";
import { countText } from "../../usage/count-text.ts";
import { readRequestJson } from "../request/read-json.ts";
import { ANSWER_BOUNDS } from "../response/read-answer.ts";
import type { TranslatedCall, TranslationOutcome } from "../translate-call.ts";
import { type Aside, serveAside } from "./aside.ts";
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

/** Embeddings between `/v1/embeddings` and the generative-language dialect's own methods. */
export function serveEmbeddings(call: TranslatedCall): Promise<TranslationOutcome> {
  const { client, target } = call;
  const { mediaForm } = getProfile(target.dialect);
  if (mediaForm === "google") return serveAside(call, askGoogle);
  if (mediaForm === "openai" && getProfile(client.dialect).mediaForm === "google")
    return serveAside(call, askOpenAi);
  throw new AppError("unsupported", `The upstream ${target.upstream} makes no embeddings.`);
}

/** What the vectors of so many texts may hold; the longest have about 8,000 dimensions. */
function boundsOf({ texts }: EmbeddingRequest): JsonBounds {
  return { ...ANSWER_BOUNDS, values: Math.min(8_000_000, ANSWER_BOUNDS.values + texts.length * 10_000) };
}

async function askGoogle(aside: Aside): Promise<void> {
  const { call } = aside;
  const request = readOpenAiEmbeddings(await readRequestJson(call.body), aside.losses);
  const { model } = call.target;
  const path = `/models/${encodeURIComponent(model)}:batchEmbedContents`;
  const batch = await aside.ask(path, writeGoogleBatch(request, model), boundsOf(request));
  if (batch === undefined) return;
  const vectors = readGoogleBatch(batch);
  if (vectors?.length !== request.texts.length) throw unreadableAnswer("The upstream gave no embeddings.");
  // The vendor counts nothing here, and typed clients want a count.
  const tokens = Math.ceil(request.texts.reduce((sum, text) => sum + countText(text), 0));
  aside.usage = { input: { total: tokens }, output: { total: 0 }, estimated: true };
  const { base64 } = request;
  aside.answer(JSON.stringify(writeOpenAiVectors(vectors, { base64, model: call.client.model, tokens })));
}

async function askOpenAi(aside: Aside): Promise<void> {
  const { call } = aside;
  const request = readGoogleEmbeddings(await readRequestJson(call.body), aside.losses);
  const body = writeOpenAiEmbeddings(request, call.target.model);
  const list = await aside.ask("/embeddings", body, boundsOf(request));
  if (list === undefined) return;
  const answer = readOpenAiVectors(list);
  if (answer?.vectors.length !== request.texts.length)
    throw unreadableAnswer("The upstream gave no embeddings.");
  if (answer.tokens !== undefined) aside.usage = { input: { total: answer.tokens }, output: { total: 0 } };
  aside.answer(JSON.stringify(writeGoogleVectors(answer.vectors, request.batch)));
}
