import { SseParser } from "../../sse/parse.ts";
import { loadCodec } from "../dialects/codecs.ts";
import type { Codec } from "../exchange/codec.ts";
import type { Part } from "../exchange/parts.ts";
import type { ExchangeResponse } from "../exchange/response.ts";
import type { TracedContent } from "../observability/telemetry.ts";
import { decodeInTurns, decodeResponseInTurns } from "../translate/convert-in-turns.ts";
import { ResponseCollector } from "../translate/response/response-events.ts";
import type { Call } from "./call.ts";
import { createContentRedactor } from "./redact-content.ts";
import type { TappedText } from "./response-tap.ts";

const MAX_EVENT = 8 * 1024 * 1024;

/**
 * Returns the messages of the client and the model, in the form of OpenTelemetry's GenAI conventions
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/), with secrets redacted. Media, server
 * tools and unknown parts are reduced to their type. Members that cannot be read, or whose body was not kept whole, are
 * undefined.
 */
export async function tracedContent(call: Call, body: Buffer, tapped: TappedText): Promise<TracedContent> {
  const codec = await loadCodec(call.dialect);
  const redact = createContentRedactor(call);
  const toText = (value: unknown) => (value === undefined ? undefined : redact(JSON.stringify(value)));
  const request = await attempted(async () => {
    const context = { ...(call.model === undefined ? {} : { model: call.model }), stream: call.stream };
    const parsed = { body: JSON.parse(body.toString("utf8")), values: call.values };
    return (await decodeInTurns(codec, parsed, context)).value;
  });
  const response = tapped.isWhole ? await attempted(() => readResponse(codec, tapped.head)) : undefined;
  const instructions = request?.instructions.map(toPart);
  return {
    systemInstructions: toText(instructions?.length ? instructions : undefined),
    inputMessages: toText(request?.turns.map(({ role, parts }) => ({ role, parts: parts.map(toPart) }))),
    outputMessages: toText(
      response?.candidates.map(({ parts, finish }) => ({
        role: "assistant",
        parts: parts.map(toPart),
        finish_reason: finish.raw ?? finish.unified,
      })),
    ),
  };
}

/** Returns the result, or undefined for a body that is not valid in its dialect. */
async function attempted<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

/** Decodes a JSON response or an event stream. */
async function readResponse(codec: Codec, text: string): Promise<ExchangeResponse | undefined> {
  if (/^\s*[{[]/.test(text)) return (await decodeResponseInTurns(codec, JSON.parse(text))).value;
  const parser = new SseParser(MAX_EVENT);
  const decoder = codec.createStreamDecoder();
  const collector = new ResponseCollector();
  for (const event of [...parser.push(Buffer.from(text)), ...parser.end()])
    for (const each of decoder.push(event)) collector.push(each);
  for (const each of decoder.end()) collector.push(each);
  return collector.response();
}

/** Returns a part in the form of the conventions. */
function toPart(part: Part): Readonly<Record<string, unknown>> {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "text", content: part.text };
    case "reasoning":
      return { type: "reasoning", content: part.text };
    case "tool-call":
      return { type: "tool_call", id: part.id, name: part.name, arguments: part.arguments };
    case "tool-result":
      return {
        type: "tool_call_response",
        id: part.callId,
        response: part.structured ?? part.content.map(toPart),
      };
    default:
      return { type: part.type };
  }
}
