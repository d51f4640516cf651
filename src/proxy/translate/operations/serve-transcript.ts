import { AppError } from "../../../errors.ts";
import { eventStreamHeaders, serializeLine } from "../../../sse/serialize.ts";
import { loadCodec } from "../../dialects/codecs.ts";
import { getProfile } from "../../dialects/index.ts";
import { DialectError } from "../../exchange/dialect-error.ts";
import type { ExchangeEvent } from "../../exchange/event.ts";
import type { ExchangeResponse, Usage } from "../../exchange/response.ts";
import { mergeUsage } from "../../exchange/usage.ts";
import { capabilitiesFor } from "../../models/capabilities-for.ts";
import { EventReader, readResponseJson } from "../response/read-response.ts";
import type { TranslatedCall, TranslationOutcome, UpstreamResponse } from "../translate-call.ts";
import { createOperationLossHeader, type OperationContext, serveOperation } from "./operation-context.ts";
import { readForm } from "./read-form.ts";
import {
  isTimed,
  readTimedTranscript,
  readTranscription,
  type TranscriptRequest,
  transcriptConversation,
  writeTimed,
} from "./transcripts.ts";

/** Serves `/v1/audio/transcriptions` with a generative-language model that accepts audio. */
export function serveTranscript(call: TranslatedCall): Promise<TranslationOutcome> {
  const { target } = call;
  if (getProfile(target.dialect).mediaForm !== "google") {
    throw new AppError("unsupported", `The upstream ${target.upstream} does not transcribe audio.`);
  }
  return serveOperation(call, async (context) => {
    const request = readTranscription(await readForm(call.body, call.client.contentType), context.losses);
    const reply = await ask(context, request);
    if (reply === undefined) return;
    if (request.stream && !isTimed(request.format)) return sendStream(context, reply);
    const codec = await loadCodec(target.dialect);
    const { value } = codec.decodeResponse(await readResponseJson(reply.body));
    context.usage = value.usage;
    return sendWhole(context, request, getText(value));
  });
}

async function ask(
  context: OperationContext,
  request: TranscriptRequest,
): Promise<UpstreamResponse | undefined> {
  const { target } = context.call;
  const { dialect, model } = target;
  const conversation = transcriptConversation(request, model);
  const codec = await loadCodec(dialect);
  const { value, losses } = codec.encodeRequest(
    conversation,
    capabilitiesFor(dialect, model, target.capabilities, target),
  );
  for (const { code, detail } of losses) context.losses.add(code, detail);
  return context.post(value.path, value.body);
}

function getText(response: ExchangeResponse): string {
  const parts = response.candidates[0]?.parts ?? [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

async function sendWhole(
  context: OperationContext,
  request: TranscriptRequest,
  transcript: string,
): Promise<void> {
  if (isTimed(request.format)) {
    const { text, contentType } = writeTimed(readTimedTranscript(transcript), request.format);
    return context.send(text, contentType);
  }
  const text = transcript.trim();
  if (request.format === "text") return context.send(`${text}\n`, "text/plain; charset=utf-8");
  return context.send(JSON.stringify({ text, ...toUsage(context.usage) }));
}

function toUsage(usage: Usage | undefined): Readonly<Record<string, unknown>> {
  const input = usage?.input.total;
  const output = usage?.output.total;
  if (input === undefined || output === undefined) return {};
  return {
    usage: { type: "tokens", input_tokens: input, output_tokens: output, total_tokens: input + output },
  };
}

/** Sends `transcript.text.delta` events, then `transcript.text.done`. An error closes the connection. */
async function sendStream(context: OperationContext, upstream: UpstreamResponse): Promise<void> {
  const { writer, target } = context.call;
  const codec = await loadCodec(target.dialect);
  const decoder = codec.createStreamDecoder();
  const parser = new EventReader();
  let text = "";
  writer.start(200, { ...eventStreamHeaders, ...createOperationLossHeader(context.losses) });
  const relay = async (events: readonly ExchangeEvent[]): Promise<void> => {
    for (const event of events) {
      if (event.type === "error") throw new DialectError(event.error);
      if (event.type === "end") context.usage = mergeUsage(context.usage, event.usage);
      if (event.type !== "text-delta") continue;
      text += event.text;
      const delta = { type: "transcript.text.delta", delta: event.text };
      await writer.write(serializeLine(JSON.stringify(delta), delta.type));
    }
  };
  for await (const chunk of upstream.body) {
    for (const event of parser.push(chunk)) await relay(decoder.push(event));
  }
  for (const event of parser.end()) await relay(decoder.push(event));
  await relay(decoder.end());
  const done = { type: "transcript.text.done", text, ...toUsage(context.usage) };
  writer.end(serializeLine(JSON.stringify(done), done.type));
}
