import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ClientDialect } from "../../support/vendor-responses.ts";
import { streamOf, wholeOf } from "./wire.ts";

/** The vendor's behavior for a call. It is part of the prompt, which every translation preserves. */
export interface Order {
  readonly kind: "good" | "reset" | "cut" | "refuse" | "hang";
  readonly pieces: number;
  readonly id: string;
}

export const promptOf = ({ kind, pieces, id }: Order) => `soak:${kind}:${pieces}:${id};`;
/** Numbered, so that lost, duplicated and reordered pieces are detected. */
export const piecesOf = ({ pieces, id }: Order) => Array.from({ length: pieces }, (_, at) => `${id}.${at} `);

export interface Vendor {
  readonly url: string;
  /** The number of open calls. */
  readonly open: () => number;
  close(): Promise<void>;
}

/** A vendor of every dialect and an MCP server that behave as the prompt requests. */
export async function startVendor(): Promise<Vendor> {
  let open = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
    const body = await bodyOf(request);
    if (request.url?.startsWith("/mcp")) respondToMcp(body, response);
    else await obey(request.url ?? "", body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function obey(url: string, body: string, response: ServerResponse): Promise<void> {
  const [, kind, pieces, id = ""] = /soak:(\w+):(\d+):(\w+);/.exec(body) ?? [];
  const order = { kind, pieces: Number(pieces), id } as Order;
  const dialect = dialectOf(url);
  if (order.kind === "refuse") {
    response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"message":"overloaded"}}');
    return;
  }
  const isStream = url.includes("streamGenerateContent") || /"stream":\s*true/.test(body);
  if (isStream) await sendEvents(order, streamOf(dialect, piecesOf(order)), response);
  else sendWhole(order, wholeOf(dialect, piecesOf(order)), response);
}

async function sendEvents(
  { kind }: Order,
  events: readonly string[],
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const last = kind === "good" ? events.length : events.length >> 1;
  for (const event of events.slice(0, last)) {
    if (response.destroyed) return;
    if (!response.write(event))
      await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (kind === "reset") response.destroy();
  else if (kind !== "hang") response.end();
}

function sendWhole({ kind }: Order, text: string, response: ServerResponse): void {
  if (kind === "hang") return;
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  if (kind === "good") response.end(text);
  else response.write(text.slice(0, text.length >> 1), () => response.destroy());
}

function respondToMcp(body: string, response: ServerResponse): void {
  const { id, params } = JSON.parse(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write('event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
  response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: params })}\n\n`);
}

function dialectOf(url: string): ClientDialect {
  if (url.includes("/chat/")) return "chat-completions";
  if (url.includes("/responses")) return "responses";
  return url.includes("/messages") ? "messages" : "generative-language";
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The proxy has closed the connection; only the received part is used.
  }
  return Buffer.concat(chunks).toString("utf8");
}
