import { createServer, type IncomingMessage } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { afterEach } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { closeHere, listenHere } from "./mcp-servers.ts";

/** Functions for tests of relayed WebSockets. Everything that they open, and `closers`, is closed after each test. */
export function realtimeTests() {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  /** Starts a vendor that sends each message back, with its usage at the end, and has no other routes. */
  async function startVendor(accepts = true) {
    const opened: IncomingMessage[] = [];
    const closed: number[] = [];
    const pings: number[] = [];
    const server = createServer((_request, response) => response.writeHead(404).end());
    const sockets = new WebSocketServer({ noServer: true });
    let delayed: Promise<void> | undefined;
    server.on("upgrade", async (request, socket, head) => {
      if (!accepts) {
        socket.end("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        return;
      }
      opened.push(request);
      await delayed;
      sockets.handleUpgrade(request, socket, head, (client) => {
        client.on("close", (code) => void closed.push(code));
        client.on("ping", () => void pings.push(Date.now()));
        client.send(JSON.stringify({ type: "session.created" }));
        client.on("message", (data, isBinary) => {
          if (isBinary) client.send(data);
          else {
            const usage = { input_tokens: 5, output_tokens: 7 };
            client.send(JSON.stringify({ type: "response.done", echo: String(data), response: { usage } }));
          }
        });
      });
    });
    const url = await listenHere(server);
    closers.push(async () => {
      for (const client of sockets.clients) client.terminate();
      await closeHere(server);
    });
    /** Delays the next handshakes. */
    const delay = (until: Promise<void>) => {
      delayed = until;
    };
    return { url, opened, closed, pings, delay };
  }

  async function open(
    url: string,
    options: { readonly headers?: Record<string, string>; readonly protocols?: string[] } = {},
  ) {
    const { headers, protocols = [] } = options;
    const client = new WebSocket(url.replace("http", "ws"), protocols, { headers });
    const received: (string | Buffer)[] = [];
    client.on("message", (data, isBinary) => void received.push(isBinary ? (data as Buffer) : String(data)));
    closers.push(async () => client.terminate());
    let rejection: { readonly retryAfter: string | undefined; readonly body: unknown } | undefined;
    const status = await new Promise<number>((resolve, reject) => {
      client.once("open", () => resolve(101));
      client.once("unexpected-response", async (_request, response) => {
        rejection = { retryAfter: response.headers["retry-after"], body: await readJson(response) };
        resolve(response.statusCode ?? 0);
      });
      client.once("error", reject);
    });
    return { client, received, status, rejection };
  }

  return { closers, startVendor, open };
}
