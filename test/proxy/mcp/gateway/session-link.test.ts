import { describe, expect, it, vi } from "vitest";
import { AppError } from "../../../../src/errors.ts";
import type { GatewayServer } from "../../../../src/proxy/mcp/gateway/access.ts";
import type { HttpRequest } from "../../../../src/proxy/mcp/gateway/http-exchange.ts";
import { McpSession } from "../../../../src/proxy/mcp/gateway/mcp-session.ts";
import { LATEST_SESSION } from "../../../../src/proxy/mcp/gateway/revisions.ts";
import { SessionLink } from "../../../../src/proxy/mcp/gateway/session-link.ts";
import { EventMemory } from "../../../../src/proxy/mcp/gateway/stream-record.ts";

const CLIENT = { version: LATEST_SESSION, capabilities: {}, info: { name: "c", version: "1" } };
const { signal } = new AbortController();

const prefix = { name: "", uri: "" };
const books: GatewayServer = {
  name: "books",
  config: { enabled: true, url: "http://books.test/", headers: {}, prefix },
  prefix,
  isWhole: true,
  allows: () => true,
};

interface Asked {
  readonly method: string;
  readonly session: string | undefined;
}

/** A server with sessions that accepts a request only in its current session. */
class SessionServer {
  readonly asked: Asked[] = [];
  /** The status of further handshakes. */
  status = 200;
  /** Waits before each response to a handshake. */
  hold: Promise<void> = Promise.resolve();
  /** Whether the server rejects requests in every session, even in a new one. */
  forgets = false;
  private current = 0;

  restart(): void {
    this.current += 1;
  }

  readonly send = async ({ headers, body }: HttpRequest) => {
    const { id, method } = JSON.parse(body ?? "{}") as { id?: number; method: string };
    const session = headers.find(([name]) => name === "mcp-session-id")?.[1];
    this.asked.push({ method, session });
    if (method === "initialize") {
      await this.hold;
      const result = { protocolVersion: LATEST_SESSION, capabilities: { logging: {} }, serverInfo: {} };
      return this.status === 200
        ? createResponse(200, { id, result }, `s${this.current}`)
        : createResponse(this.status);
    }
    if (session === undefined) return createResponse(400);
    if (this.forgets && id !== undefined) return createResponse(404);
    if (session !== `s${this.current}`) return createResponse(404);
    if (body?.includes("book://rejected"))
      return createResponse(200, { id, error: { code: -32_602, message: "unknown" } });
    return id === undefined ? createResponse(202) : createResponse(200, { id, result: { session } });
  };

  /** Returns the methods that were requested in a session. */
  methodsIn(wanted: string): string[] {
    return this.asked.flatMap(({ method, session }) => (session === wanted ? [method] : []));
  }
}

function createResponse(status: number, message?: object, session?: string) {
  const text = message === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", ...message });
  const headers = {
    "content-type": "application/json",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  return { status, headers, body: toBody(text) } as unknown as Awaited<
    ReturnType<Parameters<typeof SessionLink.open>[1]>
  >;
}

async function* toBody(text: string): AsyncGenerator<Buffer> {
  if (text !== "") yield Buffer.from(text);
}

async function open() {
  const server = new SessionServer();
  const link = await SessionLink.open("books", server.send, CLIENT, signal);
  const ask = async (method: string, params?: object) =>
    (await link.request({ method, params: { ...params }, signal, onMessage: () => {} })).result;
  return { server, ask };
}

/** Opens a client's session with the gateway that has a connection to one server. */
async function openSession() {
  const server = new SessionServer();
  const session = new McpSession(CLIENT, {
    open: (_, client, opening) => SessionLink.open("books", server.send, client, opening),
    events: new EventMemory(),
    isConfigured: () => true,
    listMs: () => 60_000,
    slow: new Set(),
  });
  const ask = (method: string, uri: string) => {
    const ignore = () => {};
    return { server: books, method, params: { uri }, signal, emit: ignore, onResult: ignore };
  };
  await session.link(books);
  return { server, session, ask };
}

describe("a session of a server over HTTP", () => {
  it("is replaced once for concurrent requests, also for those that arrive meanwhile", async () => {
    const { server, ask } = await open();
    server.restart();
    let release = () => {};
    server.hold = new Promise((resolve) => {
      release = resolve;
    });
    const early = [ask("tools/call"), ask("tools/call")];
    while (server.asked.filter(({ method }) => method === "initialize").length < 2)
      await new Promise(setImmediate);
    const late = ask("tools/call");
    await new Promise(setImmediate);
    release();
    expect(await Promise.all([...early, late])).toEqual([
      { session: "s1" },
      { session: "s1" },
      { session: "s1" },
    ]);
    expect(server.asked.filter(({ method }) => method === "initialize")).toHaveLength(2);
  });

  it("is replaced by a later request if the server rejects the first handshake", async () => {
    const { server, ask } = await open();
    server.restart();
    server.status = 503;
    const failure = ask("tools/call");
    await expect(failure).rejects.toBeInstanceOf(AppError);
    await expect(failure).rejects.toThrow("The MCP server books responded with status 503");
    server.status = 200;
    expect(await ask("tools/call")).toEqual({ session: "s1" });
  });

  it("keeps the log level and the accepted subscriptions of the session that it replaces", async () => {
    const { server, session, ask } = await openSession();
    await session.setLogLevel("error");
    for (const uri of ["book://1", "book://2", "book://rejected"])
      await session.subscribe(ask("resources/subscribe", uri), uri, true);
    await session.subscribe(ask("resources/unsubscribe", "book://1"), "book://1", false);
    server.restart();
    await session.request(ask("tools/list", ""));
    await vi.waitFor(() => expect(server.methodsIn("s1")).toHaveLength(4));
    expect(server.methodsIn("s1").toSorted()).toEqual([
      "logging/setLevel",
      "notifications/initialized",
      "resources/subscribe",
      "tools/list",
    ]);
  });

  it("is replaced once for a request if the server rejects it in the new session too", async () => {
    const { server, session, ask } = await openSession();
    await session.setLogLevel("error");
    server.forgets = true;
    await expect(session.request(ask("tools/list", ""))).rejects.toThrow("status 404");
    await vi.waitFor(() => expect(server.asked.at(-1)?.method).toBe("logging/setLevel"));
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(server.asked.filter(({ method }) => method === "initialize")).toHaveLength(2);
  });
});
