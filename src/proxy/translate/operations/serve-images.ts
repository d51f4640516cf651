import { AppError } from "../../../errors.ts";
import { eventStreamHeaders } from "../../../sse/event-stream-headers.ts";
import { serializeEvent } from "../../../sse/serialize.ts";
import { loadCodec } from "../../dialects/codecs.ts";
import { getProfile } from "../../dialects/index.ts";
import { invalidRequest } from "../../exchange/dialect-error.ts";
import type { Usage } from "../../exchange/response.ts";
import { readRequestJson } from "../request/read-json.ts";
import type { TranslatedCall, TranslationOutcome } from "../translate-call.ts";
import { type Aside, lossHeader, serveAside } from "./aside.ts";
import {
  type ImageRequest,
  type Picture,
  picturesOf,
  readEdit,
  readGeneration,
  readPaintedImages,
  writeImages,
  writePaintedImages,
  writeSpokenImage,
} from "./images.ts";
import { readForm } from "./read-form.ts";

/** Pictures for clients of `/v1/images/generations` and `/edits`, made by a generative-language upstream. */
export function serveImages(call: TranslatedCall): Promise<TranslationOutcome> {
  if (getProfile(call.target.dialect).mediaForm !== "google") {
    throw new AppError("unsupported", `The upstream ${call.target.upstream} makes no pictures.`);
  }
  return serveAside(call, async (aside) => {
    const isEdit = call.client.operation === "image-edit";
    const request = isEdit
      ? readEdit(await readForm(call.body, call.client.contentType), aside.losses)
      : readGeneration(await readRequestJson(call.body), aside.losses);
    const pictures = await make(aside, request);
    if (pictures === undefined) return;
    const created = Math.floor(Date.now() / 1000);
    const answer = writeImages(pictures, request, created, aside.usage);
    if (!request.stream) return aside.answer(JSON.stringify(answer));
    return answerEvents(aside, isEdit ? "image_edit" : "image_generation", answer, created);
  });
}

/**
 * Models that paint make several pictures in one call; those that speak make one, and are called for each. Undefined where
 * the call continues at another target.
 */
async function make(aside: Aside, request: ImageRequest): Promise<readonly Picture[] | undefined> {
  const { model } = aside.call.target;
  const path = `/models/${encodeURIComponent(model)}`;
  if (/(?:^|\/)imagen/i.test(model)) {
    if (request.pictures.length > 0) throw invalidRequest(`The model ${model} edits no pictures.`, "model");
    const painted = await aside.ask(`${path}:predict`, writePaintedImages(request));
    return painted === undefined ? undefined : readPaintedImages(painted);
  }
  const body = writeSpokenImage(request);
  const codec = await loadCodec(aside.call.target.dialect);
  const bodies = await Promise.all(
    Array.from({ length: request.count }, () => aside.ask(`${path}:generateContent`, body)),
  );
  if (bodies.includes(undefined)) return undefined;
  const answers = bodies.map((each) => codec.decodeResponse(each).value);
  aside.usage = sum(answers.map((answer) => answer.usage));
  return answers.flatMap(picturesOf);
}

function sum(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== undefined);
  if (known.length < usages.length) return undefined;
  const total = (count: (usage: Usage) => number | undefined) =>
    known.reduce((all, usage) => all + (count(usage) ?? 0), 0);
  return {
    input: { total: total((usage) => usage.input.total) },
    output: { total: total((usage) => usage.output.total) },
  };
}

/** No upstream of this dialect shows half a picture, so each is told once, when it is done. */
async function answerEvents(
  aside: Aside,
  name: string,
  answer: Readonly<Record<string, unknown>>,
  created: number,
): Promise<void> {
  const { reply } = aside.call;
  const { data, created: _, ...rest } = answer;
  const type = `${name}.completed`;
  reply.start(200, { ...eventStreamHeaders, ...lossHeader(aside.losses) });
  for (const picture of Array.isArray(data) ? data : []) {
    await reply.write(
      serializeEvent(JSON.stringify({ type, created_at: created, ...picture, ...rest }), type),
    );
  }
  reply.end();
}
