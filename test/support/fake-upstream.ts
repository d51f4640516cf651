import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request as the fake upstream received it. */
export interface Hit {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Resolves when the connection of this request is closed. */
  readonly closed: Promise<void>;
}

export type Respond = (hit: Hit, response: ServerResponse) => unknown;

/** A model vendor at wire level that does exactly what a test defines. */
export interface FakeUpstream {
  readonly url: string;
  readonly hits: Hit[];
  respond: Respond;
  /** Requests whose connections are open. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

export async function startFakeUpstream(
  respond: Respond = (_hit, response) => response.end("{}"),
): Promise<FakeUpstream> {
  const hits: Hit[] = [];
  const sockets = new Set<Socket>();
  let open = 0;
  const fake = { respond };
  const server = createServer(async (request, response) => {
    open += 1;
    const closed = new Promise<void>((resolve) => response.once("close", () => resolve()));
    void closed.then(() => {
      open -= 1;
    });
    response.on("error", () => {});
    const body = await bodyOf(request);
    const hit: Hit = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body,
      closed,
    };
    hits.push(hit);
    await fake.respond(hit, response);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits,
    get respond() {
      return fake.respond;
    },
    set respond(next) {
      fake.respond = next;
    },
    open: () => open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The client has disconnected; only the received part is used.
  }
  return Buffer.concat(chunks);
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Respond {
  return (_hit, response) => {
    const body = typeof value === "string" ? value : JSON.stringify(value);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  };
}

/** Writes these pieces, each in a separate packet, and ends. */
export function events(pieces: readonly (string | Buffer)[]): Respond {
  return async (_hit, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}
