import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { type ClientDialect, EVENTS, goodBody, WHOLE } from "./vendor-responses.ts";

/** The proxy's key for every upstream of these tests, which some faults repeat. */
export const SECRET = "sk-faulty-vendor-0123456789";

/** The upstream's behavior on a connection after it has received the request, at byte level. */
export interface UpstreamFailure {
  readonly name: string;
  readonly behave: (
    socket: Socket,
    dialect: ClientDialect,
    isStream: boolean,
    /** The number of the attempt, from 1, because calls may be repeated. */
    attempt: number,
  ) => void | Promise<void>;
  /** The permitted statuses if nothing was sent before; empty if bytes have already been sent. */
  readonly statuses?: readonly number[];
  /** Only for streams, or only for whole responses. */
  readonly only?: "stream" | "json";
  /** Only for dialects whose streams have a last event; generative-language ends with the connection. */
  readonly needsEnd?: boolean;
  /** Valid responses in an unusual form, whose bytes must arrive unchanged. */
  readonly isGood?: boolean;
  /** The body of a valid response, if it is not the usual one. */
  readonly body?: (dialect: ClientDialect, isStream: boolean) => string;
  /** The upstream sends nothing more and keeps the connection open, so only this time limit ends the call. */
  readonly silence?: "first_byte" | "idle";
}

export const head = (status: string, headers: Record<string, string | number>) =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
export const chunk = (text: string | Buffer) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
};
const jsonHead = (body: string) =>
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

/** Number of chunks of a stream in one packet. The reader still receives single pieces, with a tenth of the work. */
const CHUNKS_A_PACKET = 16;

/** A response in pieces of a size: chunks of a stream, packets of a whole response. */
async function sendInPieces(socket: Socket, text: string, isStream: boolean, size: number): Promise<void> {
  const body = Buffer.from(text);
  socket.write(isStream ? sseHead : jsonHead(text));
  const step = isStream ? size * CHUNKS_A_PACKET : size;
  for (let at = 0; at < body.length; at += step) {
    const packet = body.subarray(at, at + step);
    socket.write(isStream ? inChunks(packet, size) : packet);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (isStream) socket.write("0\r\n\r\n");
}

function inChunks(bytes: Buffer, size: number): Buffer {
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => index * size);
  return Buffer.concat(starts.map((at) => chunk(bytes.subarray(at, at + size))));
}

/** Larger than any response. */
const WHOLE_PIECE = 9_999_999;

/** The faults that every lane must handle. */
export const UPSTREAM_FAILURES: readonly UpstreamFailure[] = [
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
  {
    name: "words that claim to be compressed",
    behave: refusal("200 OK", "plain", { "content-encoding": "gzip" }),
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
    name: "status 429 until a day far away",
    behave: refusal("429 No", '{"error":{}}', { "retry-after": "Fri, 31 Dec 2100 23:59:59 GMT" }),
    statuses: [429],
  },
  ...[429, 502, 503, 529].map((status) => ({
    name: `status ${status} once, with the wish to be asked again`,
    behave: (socket: Socket, dialect: ClientDialect, isStream: boolean, attempt: number) =>
      attempt === 1
        ? refusal(`${status} No`, '{"error":{}}', { "retry-after": "0" })(socket)
        : sendInPieces(socket, goodBody(dialect, isStream), isStream, WHOLE_PIECE),
    isGood: true,
  })),
  {
    name: "a reset, then an answer",
    behave: (socket, dialect, isStream, attempt) =>
      attempt === 1
        ? void socket.resetAndDestroy()
        : sendInPieces(socket, goodBody(dialect, isStream), isStream, WHOLE_PIECE),
    isGood: true,
  },
  ...[1, 3, 7, 19, WHOLE_PIECE].map((size) => ({
    name: `an answer in pieces of ${size === WHOLE_PIECE ? "any size" : size}`,
    behave: (socket: Socket, dialect: ClientDialect, isStream: boolean) =>
      sendInPieces(socket, goodBody(dialect, isStream), isStream, size),
    isGood: true,
  })),
  {
    name: "a megabyte in one piece",
    behave: (socket, dialect, isStream) =>
      sendInPieces(socket, longBody(dialect, isStream), isStream, WHOLE_PIECE),
    isGood: true,
    body: longBody,
  },
  {
    name: "an event over several lines",
    behave: (socket, dialect) => sendInPieces(socket, manyLines(dialect), true, WHOLE_PIECE),
    isGood: true,
    only: "stream",
    body: manyLines,
  },
  {
    name: "a byte-order mark, comments and unknown events",
    behave: (socket, dialect) => sendInPieces(socket, oddEvents(dialect), true, WHOLE_PIECE),
    isGood: true,
    only: "stream",
    body: oddEvents,
  },
];

function longBody(dialect: ClientDialect, isStream: boolean): string {
  return goodBody(dialect, isStream).replaceAll("déjà", "déjà ".repeat(170_000));
}

/** A line break that JSON permits is encoded as a new `data:` line. */
function manyLines(dialect: ClientDialect): string {
  return goodBody(dialect, true).replaceAll("data: {", "data: {\ndata: ");
}

function oddEvents(dialect: ClientDialect): string {
  return `\uFEFF: hello\n\nretry: 9\nid: 1\n\nevent: ping\ndata: {"type": "ping"}\n\n${goodBody(dialect, true)}`;
}
