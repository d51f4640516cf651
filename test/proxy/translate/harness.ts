import type { Codec } from "../../../src/proxy/exchange/codec.ts";
import { stringifyJson } from "../../../src/proxy/exchange/json.ts";
import type { Dialect } from "../../../src/proxy/exchange/parts.ts";
import type { ConversationStore } from "../../../src/proxy/translate/conversations/conversation-store.ts";
import {
  type TranslationOutcome,
  type TranslationTarget,
  translateCall,
  type UpstreamRequest,
} from "../../../src/proxy/translate/translate-call.ts";
import { createSseParser, type SseEvent } from "../../../src/sse/parse.ts";

export type Json = Record<string, unknown>;

interface Scene {
  readonly client: Dialect;
  readonly upstream: TranslationTarget["dialect"];
  /** The client's body; a string is sent unchanged. */
  readonly body: Json | string;
  /** The upstream's response: JSON, the text of an event stream, or bytes in pieces. */
  readonly response?: Json | string | readonly (string | Uint8Array)[];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Thrown by the upstream's body after its last piece. */
  readonly breaks?: Error;
  /** The model's name at the upstream. */
  readonly model?: string;
  /** The host of the upstream's base URL. */
  readonly host?: string;
  readonly strict?: boolean;
  readonly array?: boolean;
  readonly capabilities?: TranslationTarget["capabilities"];
  readonly conversations?: ConversationStore;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Json;
  readonly events: readonly SseEvent[];
  /** The parsed `data` of every event that is JSON. */
  readonly data: readonly Json[];
  /** The parsed body of the request that the upstream received. */
  readonly sent: Json;
  readonly sentText: string;
  readonly path: string;
  readonly losses: readonly string[];
  readonly outcome: TranslationOutcome;
  readonly destroyed: boolean;
}

/** Runs one call through the translated lane, with an upstream that responds as the scene defines. */
export async function runScene(scene: Scene): Promise<Received> {
  let request: UpstreamRequest | undefined;
  const received = {
    status: 0,
    headers: {} as Record<string, string>,
    text: "",
    ended: false,
    destroyed: false,
  };
  const body = typeof scene.body === "string" ? scene.body : JSON.stringify(scene.body);
  const stream = /"stream": ?true/.test(body) || scene.array !== undefined;
  const send = async (sent: UpstreamRequest) => {
    request = sent;
    return { status: scene.status ?? 200, headers: scene.headers ?? {}, body: bodyOf(scene, stream) };
  };
  const outcome = await translateCall({
    client: {
      dialect: scene.client,
      operation: "generate",
      model: /"model": ?"([^"]*)"/.exec(body)?.[1] ?? "the-model",
      stream,
      array: scene.array === true,
      contentType: "application/json",
    },
    body: Buffer.from(body),
    values: body.match(/[,[{]/g)?.length ?? 0,
    target: {
      upstream: "mock",
      dialect: scene.upstream,
      ...(scene.host === undefined ? {} : { host: scene.host }),
      model: scene.model ?? "upstream-model",
      capabilities: scene.capabilities ?? {},
    },
    strict: scene.strict === true,
    requestId: "req_1",
    send,
    sendAll: (requests) => Promise.all(requests.map(send)),
    writer: {
      get started() {
        return received.status !== 0;
      },
      start(status, headers) {
        received.status = status;
        received.headers = { ...headers };
      },
      respond(status, headers, text) {
        this.start(status, headers);
        received.text += text;
        received.ended = true;
      },
      write(text) {
        received.text += text.toString();
        return undefined;
      },
      keepAlive() {},
      end(text) {
        received.text += text.toString();
        received.ended = true;
      },
      readLater() {},
      destroy() {
        received.destroyed = true;
      },
    },
    redact: (text) => text,
    ...(scene.conversations === undefined ? {} : { conversations: scene.conversations }),
  });
  const sentText = request?.body.toString() ?? "null";
  const events = eventsIn(received.text);
  return {
    ...received,
    json: readJson(received.text),
    events,
    data: events.filter((event) => event.data !== "[DONE]").map((event) => readJson(event.data)),
    sent: readJson(sentText),
    sentText,
    path: request?.path ?? "",
    losses: outcome.losses.map((loss) => loss.code),
    outcome,
  };
}

async function* bodyOf(scene: Scene, stream: boolean): AsyncGenerator<Buffer> {
  const { response } = scene;
  const pieces =
    response === undefined
      ? [getPlainResponse(scene.upstream, stream)]
      : Array.isArray(response)
        ? response
        : [typeof response === "string" ? response : JSON.stringify(response)];
  for (const piece of pieces) yield Buffer.from(piece as string);
  if (scene.breaks !== undefined) throw scene.breaks;
}

/** Returns the event stream of a dialect as text, with event names and `[DONE]` if the dialect has them. */
export function sse(dialect: Dialect, events: readonly Json[]): string {
  const named = dialect === "messages" || dialect === "responses";
  const texts = events.map(
    (event) => `${named ? `event: ${event["type"]}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
  );
  return (
    texts.join("") + (dialect === "chat-completions" || dialect === "completions" ? "data: [DONE]\n\n" : "")
  );
}

/** Returns a chat-completions stream of these deltas and an end. */
export function chatStream(deltas: readonly Json[], finish = "stop", usage?: Json): string {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
  const chunks: Json[] = deltas.map((delta) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: null }],
  }));
  chunks.push({ ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  if (usage !== undefined) chunks.push({ ...head, choices: [], usage });
  return sse("chat-completions", chunks);
}

/** Returns a chat-completions response with this message. */
export function chatResponse(message: Json, finish = "stop", more: Json = {}): Json {
  const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: finish };
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m", choices: [choice], ...more };
}

/** Returns a messages response with these blocks. */
export function messagesResponse(content: readonly Json[], stop_reason = "end_turn", more: Json = {}): Json {
  const usage = { input_tokens: 3, output_tokens: 2 };
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason,
    stop_sequence: null,
    usage,
    ...more,
  };
}

/** Returns a messages stream of these blocks' events and an end. */
export function messagesStream(
  events: readonly Json[],
  stop_reason = "end_turn",
  usage: Json = { output_tokens: 2 },
): string {
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  };
  return sse("messages", [
    { type: "message_start", message },
    ...events,
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

function getPlainResponse(dialect: Dialect, stream: boolean): string {
  if (dialect === "messages") {
    return stream
      ? messagesStream([
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
          { type: "content_block_stop", index: 0 },
        ])
      : JSON.stringify(messagesResponse([{ type: "text", text: "ok" }]));
  }
  if (dialect === "chat-completions") {
    return stream
      ? chatStream([{ role: "assistant", content: "ok" }])
      : JSON.stringify(chatResponse({ content: "ok" }));
  }
  if (dialect === "generative-language") {
    const completion = {
      candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    };
    return stream ? sse(dialect, [completion]) : JSON.stringify(completion);
  }
  const output = [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "ok", annotations: [] }],
    },
  ];
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output,
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  };
  if (!stream) return JSON.stringify(response);
  return sse("responses", [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...output[0], content: [] } },
    {
      type: "response.content_part.added",
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      part: { type: "output_text", text: "", annotations: [] },
    },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "ok" },
    { type: "response.output_item.done", output_index: 0, item: output[0] },
    { type: "response.completed", response },
  ]);
}

function eventsIn(text: string): readonly SseEvent[] {
  if (!/^(?:data|event|:)/m.test(text)) return [];
  const parser = createSseParser();
  return [...parser.push(Buffer.from(text)), ...parser.end()];
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

/** Returns the outcome of a call that must succeed, for tests of the request that the upstream receives. */
export async function sent(
  client: Dialect,
  upstream: TranslationTarget["dialect"],
  body: Json,
  more: Partial<Scene> = {},
): Promise<Received> {
  const received = await runScene({ client, upstream, body, ...more });
  if (received.status !== 200) throw new Error(`${received.status}: ${received.text}`);
  return received;
}

/** Returns the canonical request that a codec decodes from a body. */
export function decoded(codec: Codec, body: Json) {
  return codec.decodeRequest(JSON.parse(stringifyJson(body)), { model: "m", stream: false }).value;
}
