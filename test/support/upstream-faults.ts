import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";

export const DIALECTS = ["chat-completions", "responses", "messages", "generative-language"] as const;
export type ClientDialect = (typeof DIALECTS)[number];
/** The key that the proxy holds for every upstream of these tests, which faults like to repeat. */
export const SECRET = "sk-faulty-vendor-0123456789";

/** What an upstream does with a connection once the request has come, at the level of bytes. */
export interface Fault {
  readonly name: string;
  readonly behave: (socket: Socket, dialect: ClientDialect, isStream: boolean) => void | Promise<void>;
  /** The statuses that may be answered before anything was sent; none where bytes have gone out already. */
  readonly statuses?: readonly number[];
  /** Streams only, or whole answers only. */
  readonly only?: "stream" | "json";
  /** Only for dialects whose streams have a last event; generative-language ends with the connection. */
  readonly needsEnd?: boolean;
  /** Good answers in an odd form: the bytes have to arrive as they are. */
  readonly isGood?: boolean;
  /** The upstream says no more and stays: only this time limit ends it. */
  readonly silence?: "first_byte" | "idle";
}

/** A good answer in one piece. */
export const WHOLE: Record<ClientDialect, string> = {
  "chat-completions":
    '{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"déjà"},"finish_reason":"stop"}]}',
  responses:
    '{"id":"resp_x","object":"response","status":"completed","output":[{"type":"message","id":"msg_x","role":"assistant","status":"completed","content":[{"type":"output_text","text":"déjà","annotations":[]}]}]}',
  messages:
    '{"id":"msg_x","type":"message","role":"assistant","content":[{"type":"text","text":"déjà"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}',
  "generative-language":
    '{"candidates":[{"content":{"role":"model","parts":[{"text":"déjà"}]},"finishReason":"STOP"}]}',
};

const named = (type: string, more: string) => `event: ${type}\ndata: {"type":"${type}",${more}}\n\n`;
const RESPONSE = '"id":"resp_x","object":"response"';
const SPOKEN =
  '"type":"message","id":"msg_x","role":"assistant","status":"completed","content":[{"type":"output_text","text":"déjà","annotations":[]}]';

/** The same as a stream, cut so that the first piece holds the text and the last the end. */
export const EVENTS: Record<ClientDialect, readonly string[]> = {
  "chat-completions": [
    'data: {"id":"x","choices":[{"index":0,"delta":{"content":"déjà"},"finish_reason":null}]}\n\n',
    'data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    "data: [DONE]\n\n",
  ],
  responses: [
    named("response.created", `"response":{${RESPONSE},"status":"in_progress","output":[]}`) +
      named("response.output_item.added", `"output_index":0,"item":{${SPOKEN.replace(/\[.*\]/, "[]")}}`) +
      named(
        "response.content_part.added",
        '"output_index":0,"content_index":0,"item_id":"msg_x","part":{"type":"output_text","text":"","annotations":[]}',
      ) +
      named(
        "response.output_text.delta",
        '"output_index":0,"content_index":0,"item_id":"msg_x","delta":"déjà"',
      ),
    named("response.output_item.done", `"output_index":0,"item":{${SPOKEN}}`),
    named("response.completed", `"response":{${RESPONSE},"status":"completed","output":[{${SPOKEN}}]}`),
  ],
  messages: [
    named(
      "message_start",
      '"message":{"id":"msg_x","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}',
    ) +
      named("content_block_start", '"index":0,"content_block":{"type":"text","text":""}') +
      named("content_block_delta", '"index":0,"delta":{"type":"text_delta","text":"déjà"}'),
    named("content_block_stop", '"index":0') +
      named("message_delta", '"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}'),
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  "generative-language": [
    'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"déjà"}]}}]}\n\n',
    'data: {"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}\n\n',
  ],
};

export const head = (status: string, headers: Record<string, string | number>) =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
export const chunk = (text: string | Buffer) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
};
export const jsonHead = (body: string) =>
  head("200 OK", { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
export const sseHead = head("200 OK", {
  "content-type": "text/event-stream",
  "transfer-encoding": "chunked",
});
export const pause = () => new Promise((resolve) => setTimeout(resolve, 15));
export const refusal =
  (status: string, body: string, headers: Record<string, string> = {}) =>
  (socket: Socket) =>
    void socket.end(
      head(status, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        ...headers,
      }) + body,
    );

/** The answer of a dialect in pieces, as a stream or whole. */
export async function answerInPieces(
  socket: Socket,
  dialect: ClientDialect,
  isStream: boolean,
  size: number,
): Promise<void> {
  const body = Buffer.from(isStream ? EVENTS[dialect].join("") : WHOLE[dialect]);
  socket.write(isStream ? sseHead : jsonHead(body.toString()));
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    socket.write(isStream ? chunk(piece) : piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (isStream) socket.write("0\r\n\r\n");
}

/** The faults that every lane has to bear. */
export const FAULTS: readonly Fault[] = [
  { name: "reset before the head", behave: (socket) => void socket.resetAndDestroy(), statuses: [502] },
  { name: "end before the head", behave: (socket) => void socket.end(), statuses: [502] },
  {
    name: "half a head, then the end",
    behave: (socket) => void socket.end("HTTP/1.1 200 O"),
    statuses: [502],
  },
  {
    name: "something that is not HTTP",
    behave: (socket) => void socket.end("SSH-2.0-OpenSSH\r\n"),
    statuses: [502],
  },
  { name: "silence instead of a head", behave: () => {}, statuses: [504], silence: "first_byte" },
  {
    name: "a head, then a reset",
    behave: async (socket) => {
      socket.write(sseHead);
      await pause();
      socket.resetAndDestroy();
    },
    statuses: [502],
  },
  {
    name: "a head, then silence",
    behave: (socket, dialect, isStream) => void socket.write(isStream ? sseHead : jsonHead(WHOLE[dialect])),
    statuses: [504],
    silence: "idle",
  },
  {
    name: "half an answer, then a reset",
    behave: async (socket, dialect) => {
      socket.write(jsonHead(WHOLE[dialect]) + WHOLE[dialect].slice(0, 20));
      await pause();
      socket.resetAndDestroy();
    },
    statuses: [502],
    only: "json",
  },
  {
    name: "fewer bytes than announced",
    behave: (socket, dialect) => void socket.end(jsonHead(`${WHOLE[dialect]}    `) + WHOLE[dialect]),
    statuses: [502],
    only: "json",
  },
  {
    name: "half an answer that claims to be whole",
    behave: (socket, dialect) => {
      const half = WHOLE[dialect].slice(0, 30);
      socket.end(jsonHead(half) + half);
    },
    statuses: [502],
    only: "json",
  },
  {
    name: "events, then a reset",
    behave: async (socket, dialect) => {
      socket.write(sseHead);
      socket.write(chunk(EVENTS[dialect][0] ?? ""));
      await pause();
      socket.resetAndDestroy();
    },
    only: "stream",
  },
  {
    name: "half an event, then a reset",
    behave: async (socket, dialect) => {
      socket.write(sseHead);
      socket.write(chunk((EVENTS[dialect][0] ?? "").slice(0, 30)));
      await pause();
      socket.resetAndDestroy();
    },
    only: "stream",
  },
  {
    name: "events, then the end without the last one",
    behave: (socket, dialect) => {
      socket.write(sseHead);
      socket.end(Buffer.concat([chunk(EVENTS[dialect][0] ?? ""), Buffer.from("0\r\n\r\n")]));
    },
    only: "stream",
  },
  {
    name: "events, then silence",
    behave: (socket, dialect) => {
      socket.write(sseHead);
      socket.write(chunk(EVENTS[dialect][0] ?? ""));
    },
    only: "stream",
    silence: "idle",
  },
  {
    name: "a chunk that ends in the middle",
    behave: (socket, dialect) => {
      socket.write(sseHead);
      socket.end(`ff\r\n${EVENTS[dialect][0]}`);
    },
    only: "stream",
  },
  {
    name: "a page with status 200",
    behave: refusal("200 OK", "<html>Sign in</html>", { "content-type": "text/html" }),
    statuses: [502],
  },
  { name: "nothing with status 200", behave: refusal("200 OK", ""), statuses: [502] },
  { name: "no content", behave: (socket) => void socket.end(head("204 No Content", {})), statuses: [502] },
  {
    name: "an unlikely type",
    behave: refusal("200 OK", "PNG", { "content-type": "image/png" }),
    statuses: [502],
  },
  ...["301 Moved", "302 Found", "307 Temporary"].map((status) => ({
    name: `a redirect, ${status}`,
    behave: refusal(status, "", { location: "http://127.0.0.1:9/elsewhere" }),
    statuses: [502],
  })),
  ...[400, 401, 403, 404, 413, 422, 429, 500, 502, 503, 529].map((status) => ({
    name: `status ${status}`,
    behave: refusal(`${status} No`, `{"error":{"message":"no, ${SECRET}"}}`),
    statuses: [status],
  })),
  {
    name: "status 429 for an hour",
    behave: refusal("429 No", '{"error":{}}', { "retry-after": "3600" }),
    statuses: [429],
  },
  {
    name: "a page with status 502",
    behave: refusal("502 Bad", "<html>", { "content-type": "text/html" }),
    statuses: [502],
  },
  {
    name: "an error that lies about its coding",
    behave: refusal("500 No", "plain", { "content-encoding": "gzip" }),
    statuses: [500],
  },
  {
    name: "a compressed error with a secret",
    behave: (socket) => {
      const body = gzipSync(`{"error":{"message":"${SECRET}"}}`);
      socket.write(
        head("400 No", {
          "content-type": "application/json",
          "content-encoding": "gzip",
          "content-length": body.length,
        }),
      );
      socket.end(body);
    },
    statuses: [400],
  },
  {
    name: "an answer a byte at a time",
    behave: (socket, dialect, isStream) => answerInPieces(socket, dialect, isStream, 1),
    isGood: true,
  },
  {
    name: "an answer in threes",
    behave: (socket, dialect, isStream) => answerInPieces(socket, dialect, isStream, 3),
    isGood: true,
  },
  {
    name: "an answer all at once",
    behave: (socket, dialect, isStream) => answerInPieces(socket, dialect, isStream, 9999),
    isGood: true,
  },
];
