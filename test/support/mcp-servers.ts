import { randomUUID } from "node:crypto";
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** An MCP server of the official SDK over HTTP. */
export interface TestMcpServer {
  readonly url: string;
  readonly seen: { readonly method: string; readonly headers: IncomingHttpHeaders }[];
  /** Ends every session, as a restart does. */
  forget(): void;
  /** Waits before each response. */
  hold: Promise<void> | undefined;
  close(): Promise<void>;
}

/** Starts a server with sessions, one `McpServer` for each. */
export async function startMcpServer(create: () => McpServer): Promise<TestMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const seen: TestMcpServer["seen"] = [];
  const state: { hold: Promise<void> | undefined } = { hold: undefined };
  const http = createServer(async (request, response) => {
    seen.push({ method: request.method ?? "", headers: request.headers });
    await state.hold;
    const id = request.headers["mcp-session-id"]?.toString();
    const known = id === undefined ? undefined : sessions.get(id);
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (created) => void sessions.set(created, transport),
      });
    if (known === undefined) await create().connect(transport as Parameters<McpServer["connect"]>[0]);
    await transport.handleRequest(request, response);
  });
  const url = await listenHere(http);
  return {
    url: `${url}/mcp`,
    seen,
    forget: () => sessions.clear(),
    get hold() {
      return state.hold;
    },
    set hold(until) {
      state.hold = until;
    },
    close: () => closeHere(http),
  };
}

export async function listenHere(server: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function closeHere(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Connects the official client to an endpoint. */
export async function connectClient(
  url: string,
  { key, capabilities = {} }: { readonly key?: string; readonly capabilities?: Record<string, object> } = {},
): Promise<{ readonly client: Client; readonly transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities });
  const headers = key === undefined ? undefined : { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return { client, transport };
}

/** Repeats a probe until it returns a value; fails the test by its time limit otherwise. */
export async function eventually<Value>(probe: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
