import { createServer } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { closeHere, listenHere } from "../../support/mcp-servers.ts";
import { startTestProxy } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a proxy with a server whose tool `query` mirrors an argument and whose tool `sample` needs a capability. */
async function setUp() {
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params } = text === "" ? ({} as Record<string, never>) : JSON.parse(text);
    const properties = { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } };
    const tools = [{ name: "query", inputSchema: { type: "object", properties } }, { name: "sample" }];
    const results: Record<string, object> = {
      "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
      "tools/list": { tools },
      "tools/call": { content: [{ type: "text", text: String(request.headers["mcp-param-region"]) }] },
    };
    const requiredCapabilities = { sampling: {} };
    const body =
      params?.name === "sample"
        ? { error: { code: -32021, message: "Missing", data: { requiredCapabilities } } }
        : { result: { resultType: "complete", ...results[method] } };
    const status = request.method !== "POST" ? 405 : "error" in body ? 400 : 200;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  });
  const url = await listenHere(http);
  closers.push(() => closeHere(http));
  const proxy = await startTestProxy({ mcp: { data: { url } } });
  closers.push(proxy.close);
  return async (name: string, args: object, headers: Record<string, string> = {}) => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name, arguments: args, _meta: meta };
    const response = await fetch(`${proxy.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const { result, error } = JSON.parse(await response.text());
    return [response.status, error?.code ?? result.content[0].text];
  };
}

describe("requests of revision 2026-07-28 through the MCP gateway", () => {
  it("have the HTTP status of their server's error", async () => {
    const call = await setUp();
    expect(await call("data__sample", {})).toEqual([400, -32021]);
  });

  it("are rejected if a header differs from the argument that it mirrors", async () => {
    const call = await setUp();
    const header = (value: string) => ({ "mcp-param-region": value });
    expect(await call("data__query", { region: "us" }, header("us"))).toEqual([200, "us"]);
    expect(await call("data__query", { region: "ü" }, header("=?base64?w7w=?="))).toEqual([
      200,
      "=?base64?w7w=?=",
    ]);
    expect(await call("data__query", { level: 1 })).toEqual([200, "undefined"]);
    const rejected = [
      await call("data__query", { region: "us" }),
      await call("data__query", { region: "us" }, header("eu")),
      await call("data__query", {}, header("us")),
      await call("data__query", { region: "us" }, header("=?base64?dXM?=")),
      await call("data__query", { region: "us" }, header("=?base64?dX!!!M=?=")),
    ];
    expect(rejected).toEqual(rejected.map(() => [400, -32020]));
  });
});
