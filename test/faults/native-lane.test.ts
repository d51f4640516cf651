import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

const DIALECTS = ["chat-completions", "responses", "messages", "generative-language"] as const;
type ClientDialect = (typeof DIALECTS)[number];
const SECRET = "sk-faulty-vendor-0123456789";

/** What an upstream does with a connection once the request has come, at the level of bytes. */
interface Fault {
  readonly name: string;
  readonly behave: (socket: Socket, dialect: ClientDialect, isStream: boolean) => void | Promise<void>;
  /** The statuses that may be answered before anything was sent; none where bytes have gone out already. */
  readonly statuses?: readonly number[];
  /** Streams only, or whole answers only. */
  readonly only?: "stream" | "json";
  /** Good answers in an odd form: the bytes have to arrive as they are. */
  readonly isGood?: boolean;
}

const WHOLE: Record<ClientDialect, string> = {
  "chat-completions": '{"id":"x","choices":[{"message":{"content":"déjà"},"finish_reason":"stop"}]}',
  responses: '{"id":"resp_x","object":"response","status":"completed","output":[]}',
  messages: '{"id":"msg_x","type":"message","content":[],"stop_reason":"end_turn"}',
  "generative-language": '{"candidates":[{"content":{"parts":[{"text":"déjà"}]},"finishReason":"STOP"}]}',
};
const EVENTS: Record<ClientDialect, readonly string[]> = {
  "chat-completions": [
    'data: {"choices":[{"delta":{"content":"déjà"},"finish_reason":null}]}\n\n',
    'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n',
    "data: [DONE]\n\n",
  ],
  responses: [
    'event: response.created\ndata: {"type":"response.created"}\n\n',
    'event: response.completed\ndata: {"type":"response.completed","response":{}}\n\n',
  ],
  messages: [
    'event: message_start\ndata: {"type":"message_start","message":{}}\n\n',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  "generative-language": [
    'data: {"candidates":[{"content":{"parts":[{"text":"déjà"}]}}]}\n\n',
    'data: {"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}\n\n',
  ],
};

const head = (status: string, headers: Record<string, string | number>) =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;
const chunk = (text: string | Buffer) => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
};
const jsonHead = (body: string) =>
  head("200 OK", { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
const sseHead = head("200 OK", { "content-type": "text/event-stream", "transfer-encoding": "chunked" });
const pause = () => new Promise((resolve) => setTimeout(resolve, 15));
const refusal =
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
async function answerInPieces(
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

const FAULTS: readonly Fault[] = [
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
  { name: "silence instead of a head", behave: () => {}, statuses: [504] },
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

/** The same faults for whole answers and streams of every dialect. */
const CASES = DIALECTS.flatMap((dialect) =>
  [false, true].flatMap((isStream) =>
    FAULTS.filter(({ only }) => only === undefined || only === (isStream ? "stream" : "json")).map(
      (fault) => ({
        title: `${dialect}, ${isStream ? "stream" : "JSON"}: ${fault.name}`,
        dialect,
        isStream,
        fault,
      }),
    ),
  ),
);

let proxy: TestProxy;
let vendor: Server;
const connections = new Set<Socket>();

/** Which fault is meant, and by which dialect's client, stands in the model's name. */
beforeAll(async () => {
  vendor = createServer((socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const number = /case-(\d+)-/.exec(text)?.[1];
      const found = CASES[Number(number)];
      if (!found || !isWholeRequest(text)) return;
      text = "";
      void found.fault.behave(socket, found.dialect, found.isStream);
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  proxy = await startTestProxy({
    upstreams: Object.fromEntries(
      DIALECTS.map((dialect) => [dialect, { dialect, base_url, api_key: SECRET, models: [] }]),
    ),
    timeouts: { first_byte: 0.4, idle: 0.4 },
  });
});
afterAll(async () => {
  await proxy.close();
  for (const socket of connections) socket.destroy();
  await new Promise((resolve) => vendor.close(resolve));
  expect(proxy.internal).toEqual([]);
});

function isWholeRequest(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return end >= 0 && text.length >= end + 4 + length;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly isBroken: boolean;
}

async function call(number: number, dialect: ClientDialect, isStream: boolean): Promise<Received> {
  const model = `case-${number}-`;
  const path = {
    "chat-completions": "/v1/chat/completions",
    responses: "/v1/responses",
    messages: "/v1/messages",
    "generative-language": `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  }[dialect];
  const response = await fetch(`${proxy.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, ...(isStream ? { stream: true } : {}) }),
  });
  let text = "";
  try {
    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString("latin1");
    return { status: response.status, headers: response.headers, text, isBroken: false };
  } catch {
    return { status: response.status, headers: response.headers, text, isBroken: true };
  }
}

const isEnvelope: Record<ClientDialect, (value: Record<string, Record<string, unknown>>) => boolean> = {
  "chat-completions": (value) => typeof value["error"]?.["message"] === "string",
  responses: (value) => typeof value["error"]?.["message"] === "string",
  messages: (value) => String(value["type"]) === "error" && typeof value["error"]?.["type"] === "string",
  "generative-language": (value) => typeof value["error"]?.["status"] === "string",
};

/** How each dialect says, as an event, that the stream has failed. */
const ERROR_EVENT: Record<ClientDialect, RegExp> = {
  "chat-completions": /data: \{"error":.*\}\n\n$/,
  responses: /event: error\ndata: .*\n\n$/,
  messages: /event: error\ndata: .*\n\n$/,
  "generative-language": /data: \{"error":.*\}\n\n$/,
};

describe.concurrent("faults of an upstream in the native lane", () => {
  it.each(CASES.map((each, number) => ({ ...each, number })))(
    "$title",
    async ({ dialect, isStream, fault, number }) => {
      const received = await call(number, dialect, isStream);
      expect(received.text).not.toContain(SECRET);
      if (fault.isGood) {
        const sent = isStream ? EVENTS[dialect].join("") : WHOLE[dialect];
        expect(Buffer.from(received.text, "latin1").toString()).toBe(sent);
        expect([received.status, received.isBroken]).toEqual([200, false]);
      } else if (received.status !== 200) {
        expect(fault.statuses).toContain(received.status);
        if (received.status >= 500 && !fault.name.startsWith("status"))
          expect(isEnvelope[dialect](JSON.parse(received.text))).toBe(true);
      } else {
        // Bytes had gone out already: an error event of the dialect, or a broken connection, and no clean end.
        expect(fault.statuses ?? []).not.toContain(502);
        expect(received.isBroken || ERROR_EVENT[dialect].test(received.text)).toBe(true);
      }
    },
  );

  it("hands a vendor's wish to wait on to the client", async () => {
    const number = CASES.findIndex(({ fault }) => fault.name === "status 429 for an hour");
    const received = await call(number, "chat-completions", false);
    expect(received.headers.get("retry-after")).toBe("3600");
  });
});
