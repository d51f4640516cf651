import { AppError } from "../../errors.ts";
import { nextTurn, turnIfLarge } from "../../json/bounds.ts";
import { loadCodec } from "../dialects/codecs.ts";
import type { Codec, EncodeContext } from "../exchange/codec.ts";
import { guardJson, isObject, parseJson, stringifyJson } from "../exchange/json.ts";
import type { ExchangeRequest } from "../exchange/request.ts";
import type { ExchangeResponse } from "../exchange/response.ts";
import {
  isKept,
  keepConversation,
  namesEarlierTurns,
  withEarlierTurns,
} from "../translate/conversations/earlier-turns.ts";
import { keptId } from "../translate/conversations/threads.ts";
import { decodeInTurns, encodeResponseInTurns } from "../translate/convert-in-turns.ts";
import { type Call, endWith, ownHeaders } from "./call.ts";
import { respondWithJson, respondWithTokenEstimate, untilDrained } from "./client-response.ts";
import { composeEcho, echoEvents } from "./compose-echo.ts";
import { composeEchoMedia } from "./echo-media.ts";
import type { CalledOperation } from "./operation-path.ts";
import { callersConversations } from "./stored-conversations.ts";

/** Characters of events that are created in one turn of the event loop. */
const TURN_LENGTH = 256 * 1024;

/**
 * Responds as the built-in upstream `echo`, which needs no vendor. It serves each operation in the client's dialect,
 * so that a client's configuration, streaming and tools can be tested offline. Throws `not_found` for the id of a
 * response, because `serveStoredResponse` has served every response that is stored.
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
    case "stored-response":
      throw new AppError("not_found", "The echo stores no response with this id");
    default:
      call.status = 200;
      respondWithJson(call, 200, JSON.stringify(composeEchoMedia(called, readMembers(call, body))));
  }
}

async function respondToGenerate(call: Call, called: CalledOperation, body: Buffer): Promise<void> {
  const codec = await loadCodec(call.dialect);
  const size = body.length;
  const parsed = parseJson(body.toString("utf8"));
  await turnIfLarge(size);
  // Relayed bodies are not checked. This one is decoded, so reject deep nesting and `__proto__` (prototype pollution).
  guardJson(parsed);
  const { value: request } = await decodeInTurns(
    codec,
    { body: parsed, values: call.values },
    { model: called.model, stream: call.stream },
  );
  const conversations = callersConversations(call);
  const full = namesEarlierTurns(request) ? await withEarlierTurns(request, conversations) : request;
  const id = call.id.replace(/\W/g, "");
  const earlier = full.turns.slice(0, full.turns.length - request.turns.length);
  await turnIfLarge(size);
  const response = composeEcho(request, id, earlier);
  await turnIfLarge(size);
  const context: EncodeContext = {
    model: call.model ?? "echo",
    request,
    now: Date.now(),
    fallbackId: id,
    array: called.array,
    endsWithDone: call.runtime.config.responsesDone,
  };
  call.status = 200;
  call.usage = response.usage;
  const isStored = isKept(call.dialect, request, conversations);
  if (isStored || !call.stream) {
    const { value } = await encodeResponseInTurns(codec, response, context);
    const json = stringifyJson(value);
    await turnIfLarge(size);
    if (isStored) await keepEcho(call, { codec, context, response, request: full, json, size });
    if (!call.stream) {
      respondWithJson(call, 200, json);
      return;
    }
  }
  await streamEcho(call, called, codec, { response, context });
}

interface StoredEcho {
  readonly codec: Codec;
  readonly context: EncodeContext;
  readonly response: ExchangeResponse;
  /** The request with its earlier turns. */
  readonly request: ExchangeRequest;
  readonly json: string;
  readonly size: number;
}

/** Stores the conversation under the id that the client receives. */
async function keepEcho(call: Call, echo: StoredEcho): Promise<void> {
  const { codec, context, response, request, json, size } = echo;
  const id = keptId(codec, response.id, context);
  await keepConversation(callersConversations(call), id, request, response, { responseText: json, size });
}

/** Sends the response as events. The events of a large response are created in several turns of the event loop. */
async function streamEcho(
  call: Call,
  called: CalledOperation,
  codec: Codec,
  { response, context }: Pick<StoredEcho, "response" | "context">,
): Promise<void> {
  const type = called.array ? "application/json" : "text/event-stream; charset=utf-8";
  call.response.writeHead(200, [...ownHeaders(call), "content-type", type, "cache-control", "no-cache"]);
  const encoder = codec.createStreamEncoder(context);
  let sinceTurn = 0;
  for (const event of echoEvents(response)) {
    const text = encoder.push(event);
    if (text === "") continue;
    const isTaken = call.response.write(text);
    sinceTurn += text.length;
    if (sinceTurn < TURN_LENGTH) continue;
    sinceTurn = 0;
    if (call.response.destroyed) break;
    if (isTaken) await nextTurn();
    else await untilDrained(call.response);
  }
  endWith(call, () => call.response.end());
}

/** Returns the members of a JSON body; none for a form. */
function readMembers({ request }: Call, body: Buffer | undefined): Readonly<Record<string, unknown>> {
  if (body === undefined || /^multipart\//i.test(request.headers["content-type"] ?? "")) return {};
  const parsed = parseJson(body.toString("utf8"));
  guardJson(parsed);
  return isObject(parsed) ? parsed : {};
}
