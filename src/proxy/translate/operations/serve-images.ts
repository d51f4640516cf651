import { AppError } from "../../../errors.ts";
import { eventStreamHeaders, serializeLine } from "../../../sse/serialize.ts";
import { loadCodec } from "../../dialects/codecs.ts";
import { getProfile } from "../../dialects/index.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import { sumUsages } from "../../exchange/usage.ts";
import { readRequestJson } from "../request/read-json.ts";
import { isImagen } from "../request/separate-candidates.ts";
import type { TranslatedCall, TranslationOutcome } from "../translate-call.ts";
import {
  type GeneratedImage,
  getImages,
  type ImageRequest,
  readEdit,
  readGeneration,
  readPaintedImages,
  writeImages,
  writePaintedImages,
  writeSpokenImage,
} from "./images.ts";
import { createOperationLossHeader, type OperationContext, serveOperation } from "./operation-context.ts";
import { readForm } from "./read-form.ts";

/** Serves `/v1/images/generations` and `/v1/images/edits` with a generative-language upstream. */
export function serveImages(call: TranslatedCall): Promise<TranslationOutcome> {
  if (getProfile(call.target.dialect).mediaForm !== "google") {
    throw new AppError("unsupported", `The upstream ${call.target.upstream} does not generate images.`);
  }
  return serveOperation(call, async (context) => {
    const isEdit = call.client.operation === "image-edit";
    const request = isEdit
      ? readEdit(await readForm(call.body, call.client.contentType), context.losses)
      : readGeneration(await readRequestJson(call.body), context.losses);
    const images = await generateImages(context, request);
    if (images === undefined) return;
    const created = Math.floor(Date.now() / 1000);
    const response = writeImages(images, request, created, context.usage);
    if (!request.stream) return context.send(JSON.stringify(response));
    return sendEvents(context, isEdit ? "image_edit" : "image_generation", response, created);
  });
}

/**
 * Generates the requested images. Imagen models return several images per call. Other models return one image and are
 * called once for each image. Returns undefined if the call continues at another target.
 */
async function generateImages(
  context: OperationContext,
  request: ImageRequest,
): Promise<readonly GeneratedImage[] | undefined> {
  const { model } = context.call.target;
  const path = `/models/${encodeURIComponent(model)}`;
  if (isImagen(model)) {
    if (request.images.length > 0) throw invalidRequest(`The model ${model} does not edit images.`, "model");
    const painted = await context.ask(`${path}:predict`, writePaintedImages(request));
    return painted === undefined ? undefined : readPaintedImages(painted);
  }
  const body = writeSpokenImage(request);
  const codec = await loadCodec(context.call.target.dialect);
  const bodies = await context.askEach(`${path}:generateContent`, body, request.count);
  if (bodies === undefined) return undefined;
  const responses = bodies.map((each) => codec.decodeResponse(each).value);
  context.usage = sumUsages(responses.map((response) => response.usage));
  return responses.flatMap(getImages);
}

/** Sends one `completed` event per image, because upstreams of this dialect return no partial images. */
async function sendEvents(
  context: OperationContext,
  name: string,
  response: Readonly<Record<string, unknown>>,
  created: number,
): Promise<void> {
  const { writer } = context.call;
  const { data, created: _, ...rest } = response;
  const type = `${name}.completed`;
  writer.start(200, { ...eventStreamHeaders, ...createOperationLossHeader(context.losses) });
  for (const image of Array.isArray(data) ? data : []) {
    await writer.write(serializeLine(JSON.stringify({ type, created_at: created, ...image, ...rest }), type));
  }
  writer.end("");
}
