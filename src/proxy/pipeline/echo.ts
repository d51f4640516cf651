import { AppError } from "../../errors.ts";
import { loadCodec } from "../dialects/codecs.ts";
import type { EncodeContext } from "../exchange/codec.ts";
import { guardJson, parseJson, stringifyJson } from "../exchange/json.ts";
import { decodeInTurns } from "../translate/decode-in-turns.ts";
import { type Call, endWith, ownHeaders } from "./call.ts";
import { respondWithJson, respondWithTokenEstimate } from "./client-response.ts";
import { composeEcho, echoEvents } from "./compose-echo.ts";
import type { CalledOperation } from "./operation-path.ts";

/**
 * Responds as the built-in upstream `echo`, which needs no vendor. It serves each operation in the client's dialect,
 * so that a client's configuration, streaming and tools can be tested offline.
 */
export async function respondWithEcho(
  call: Call,
  called: CalledOperation,
  body: Buffer | undefined,
): Promise<void> {
  switch (called.operation) {
    case "generate":
      return respondToGenerate(call, called, body ?? Buffer.alloc(0));
    case "count-tokens":
      respondWithTokenEstimate(call, body);
      return;
    case "compact":
      throw new AppError("unsupported", "The echo does not compact conversations");
    case "stored-response":
      throw new AppError("not_found", "The echo stores no responses");
    default:
      call.status = 200;
      respondWithJson(call, 200, JSON.stringify(composeMedia(called)));
  }
}

async function respondToGenerate(call: Call, called: CalledOperation, body: Buffer): Promise<void> {
  const codec = await loadCodec(call.dialect);
  const parsed = parseJson(body.toString("utf8"));
  // Native bodies are not parsed. This one is, so reject deep nesting and `__proto__` members (prototype pollution).
  guardJson(parsed);
  const { value: request } = await decodeInTurns(
    codec,
    { body: parsed, values: call.values },
    { model: called.model, stream: call.stream },
  );
  const id = call.id.replace(/\W/g, "");
  const response = composeEcho(request, id);
  const context: EncodeContext = {
    model: call.model ?? "echo",
    request,
    now: Date.now(),
    fallbackId: id,
    array: called.array,
  };
  call.status = 200;
  call.usage = response.usage;
  if (!call.stream) {
    respondWithJson(call, 200, stringifyJson(codec.encodeResponse(response, context).value));
    return;
  }
  const type = called.array ? "application/json" : "text/event-stream; charset=utf-8";
  call.response.writeHead(200, [...ownHeaders(call), "content-type", type, "cache-control", "no-cache"]);
  const encoder = codec.createStreamEncoder(context);
  for (const event of echoEvents(response)) {
    const text = encoder.push(event);
    if (text !== "") call.response.write(text);
  }
  endWith(call, () => call.response.end());
}

/** A PNG image of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

function composeMedia(called: CalledOperation): unknown {
  const values = Array.from({ length: 8 }, (_, index) => (index + 1) / 10);
  if (called.operation === "transcription") return { text: "Echo: a sound" };
  if (called.operation !== "embed")
    return { created: Math.floor(Date.now() / 1000), data: [{ b64_json: PIXEL }] };
  if (called.model === undefined)
    return {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: values }],
      model: "echo",
      usage: { prompt_tokens: 1, total_tokens: 1 },
    };
  return called.path("echo").endsWith(":batchEmbedContents")
    ? { embeddings: [{ values }] }
    : { embedding: { values } };
}
