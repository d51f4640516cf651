import { randomUUID } from "node:crypto";
import { createServer, METHODS, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

const KEY = "sk-mcp-client-0123456789";
const SECRET = "mcp-server-secret-0123";

let server: Server;
let proxy: TestProxy;
const seen: { authorization: string | undefined; session: string | undefined; method: string | undefined }[] =
  [];

/** A server of the official SDK, a session for each client. */
beforeAll(async () => {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  server = createServer(async (request, response) => {
    const { authorization, "mcp-session-id": session } = request.headers;
    seen.push({ authorization, session: String(session), method: request.method });
    let transport = sessions.get(String(session));
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void (transport && sessions.set(id, transport)),
      });
      await tools().connect(transport as Parameters<McpServer["connect"]>[0]);
    }
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  proxy = await startTestProxy({
    auth_mode: "strict",
    api_keys: [KEY],
    mcp: {
      web_reader: { url, headers: { Authorization: `Bearer ${SECRET}` } },
      off: { enabled: false, url },
      unreachable: { url: "http://127.0.0.1:1/mcp" },
    },
  });
});

function tools(): McpServer {
  const mcp = new McpServer({ name: "reader", version: "1.0.0" }, { capabilities: { logging: {} } });
  mcp.registerTool("shout", { inputSchema: { text: z.string() } }, async ({ text }, extra) => {
    await extra.sendNotification({
      method: "notifications/message",
      params: { level: "info", data: "working" },
    });
    return { content: [{ type: "text", text: text.toUpperCase() }] };
  });
  return mcp;
}

afterAll(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe("the MCP relay", () => {
  it("relays a whole session of the official client", async () => {
    const before = seen.length;
    const client = new Client({ name: "test", version: "1.0.0" });
    const notes: unknown[] = [];
    client.setNotificationHandler(
      LoggingMessageNotificationSchema,
      (note) => void notes.push(note.params.data),
    );
    const transport = new StreamableHTTPClientTransport(new URL(`${proxy.url}/mcp/web_reader/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${KEY}` } },
    });
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["shout"]);
    const result = await client.callTool({ name: "shout", arguments: { text: "grüße" } });
    expect(result.content).toEqual([{ type: "text", text: "GRÜSSE" }]);
    expect(notes).toEqual(["working"]);
    await transport.terminateSession();
    await client.close();
    const [first, ...others] = seen.slice(before);
    expect(new Set([first, ...others].map((each) => each?.authorization))).toEqual(
      new Set([`Bearer ${SECRET}`]),
    );
    expect(others.map((each) => each.method)).toContain("DELETE");
    expect(new Set(others.map((each) => each.session)).size).toBe(1);
  });

  it("relays methods without a body or content type unchanged", async () => {
    const before = seen.length;
    // Node.js 20.19 does not know QUERY.
    const asked = ["QUERY", "PATCH", "PROPFIND", "M-SEARCH"].filter((method) => METHODS.includes(method));
    for (const method of asked) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${KEY}` };
        const call = request(`${proxy.url}/mcp/web_reader/mcp`, { method, headers }, (response) => {
          response.resume().on("end", () => resolve(response.statusCode));
        });
        call.on("error", reject).end();
      });
      // The official server's own response to unsupported methods.
      expect([method, status]).toEqual([method, 405]);
    }
    expect(seen.slice(before).map(({ method }) => method)).toEqual(asked);
  });

  it("returns 404 if a server is off or unknown, and 502 if it is unreachable", async () => {
    const headers = { authorization: `Bearer ${KEY}` };
    for (const name of ["off", "unknown"]) {
      const response = await fetch(`${proxy.url}/mcp/${name}/mcp`, { method: "POST", headers, body: "{}" });
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: expect.stringContaining(name) },
      ]);
    }
    const response = await fetch(`${proxy.url}/mcp/unreachable/mcp`, { method: "POST", headers, body: "{}" });
    expect([response.status, await response.json()]).toEqual([502, { error: expect.any(String) }]);
  });
});
