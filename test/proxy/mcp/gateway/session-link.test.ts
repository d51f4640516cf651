import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/errors.ts";
import type { HttpRequest } from "../../../../src/proxy/mcp/gateway/http-exchange.ts";
import { LATEST_SESSION } from "../../../../src/proxy/mcp/gateway/revisions.ts";
import { SessionLink } from "../../../../src/proxy/mcp/gateway/session-link.ts";

const CLIENT = { version: LATEST_SESSION, capabilities: {}, info: { name: "c", version: "1" } };
const { signal } = new AbortController();

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
      const result = { protocolVersion: LATEST_SESSION, capabilities: {}, serverInfo: {} };
      return this.status === 200
        ? createResponse(200, { id, result }, `s${this.current}`)
        : createResponse(this.status);
    }
    if (session === undefined) return createResponse(400);
    if (session !== `s${this.current}`) return createResponse(404);
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

  it("keeps the log level and the subscriptions of the session that it replaces", async () => {
    const { server, ask } = await open();
    await ask("logging/setLevel", { level: "error" });
    await ask("resources/subscribe", { uri: "book://1" });
    await ask("resources/subscribe", { uri: "book://2" });
    await ask("resources/unsubscribe", { uri: "book://1" });
    server.restart();
    await ask("tools/list");
    expect(server.methodsIn("s1").toSorted()).toEqual([
      "logging/setLevel",
      "notifications/initialized",
      "resources/subscribe",
      "tools/list",
    ]);
  });
});
