import { describe, expect, it } from "vitest";
import { testDatabases } from "../../support/databases.ts";
import { startGatewayProxy } from "../../support/gateway-proxy.ts";

const databases = testDatabases();
const accept = { accept: "application/json, text/event-stream" };
/** A server that is not running: the gateway opens a client's stream without it. */
const settings = { mcp: { absent: { url: "http://127.0.0.1:9/mcp" } } };

async function setUp() {
  const proxy = await startGatewayProxy(await databases.locate("sqlite"), settings);
  const { body } = await proxy.request("POST", "/keys", { name: "alice" });
  const send = (method: string, headers: Record<string, string>, message?: object) =>
    fetch(`${proxy.url}/mcp`, {
      method,
      headers: { ...accept, "content-type": "application/json", "x-api-key": body.secret, ...headers },
      ...(message && { body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }) }),
      signal: AbortSignal.timeout(10_000),
    });
  return { send, revoke: () => proxy.request("DELETE", `/keys/${body.key.id}`) };
}

describe("an endless stream of the MCP gateway", () => {
  it("ends when its key is revoked", async () => {
    const { send, revoke } = await setUp();
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "a", version: "1" },
    };
    const begun = await send("POST", {}, { method: "initialize", params });
    await begun.text();
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    const stream = await send("GET", session);
    expect(stream.status).toBe(200);
    await revoke();
    await stream.text();
    expect((await send("GET", session)).status).toBe(401);
  });

  it("ends when its key is revoked, for a client without a session", async () => {
    const { send, revoke } = await setUp();
    const method = "subscriptions/listen";
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { notifications: { toolsListChanged: true }, _meta };
    const stream = await send("POST", headers, { method, params });
    expect(stream.status).toBe(200);
    await revoke();
    expect(await stream.text()).toContain("acknowledged");
  });
});
