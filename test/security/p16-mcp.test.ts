import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { FOREIGN_PAGES } from "../support/foreign-requests.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

/**
 * The tests of a whole session of the official client are in test/proxy/mcp.test.ts, those of redirects in
 * p06-destinations.test.ts.
 */
const SECRET = "mcp-server-secret-0123";
let server: FakeUpstream;
let proxy: TestProxy;
beforeAll(async () => {
  server = await startFakeUpstream();
  proxy = await startTestProxy({
    mcp: {
      tools: { url: `${server.url}/inner/mcp?own=1`, headers: { authorization: `Bearer ${SECRET}` } },
      off: { enabled: false, url: `${server.url}/off` },
    },
  });
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});
beforeEach(() => {
  server.respond = json({ jsonrpc: "2.0", id: 1, result: {} });
  server.hits.length = 0;
});

describe("P16 an MCP server behind the proxy", () => {
  it.each(["GET", "POST", "PUT", "PATCH", "DELETE"] as const)(
    "is not for web pages, by %s either",
    async (method) => {
      for (const headers of FOREIGN_PAGES)
        for (const url of ["/mcp/tools/mcp", "/mcp/off/mcp", "/mcp/none/mcp", "/mcp/web_reader/mcp"])
          expect((await proxy.server.app.inject({ method, url, headers })).statusCode).toBe(403);
      expect(server.hits).toEqual([]);
    },
  );

  it.each([
    ...["off", "none", "tools%2f..", "constructor", "__proto__"].map((name) => [name, 404] as const),
    // These paths belong to the gateway, which rejects a body that is not a message.
    ["..", 400],
    ["%2e%2e", 400],
  ] as const)("is not there under the name %s", async (name, status) => {
    const response = await proxy.server.app.inject({
      method: "POST",
      url: `/mcp/${name}/mcp`,
      headers: { host: "localhost" },
      payload: "{}",
    });
    expect(response.statusCode).toBe(status);
    expect(server.hits).toEqual([]);
  });

  it("receives its configured credentials and the session headers, but none of the client's", async () => {
    const headers = {
      authorization: "Bearer theirs",
      "x-api-key": "theirs",
      cookie: "theirs",
      "mcp-session-id": "s1",
      "mcp-protocol-version": "2025-06-18",
      "last-event-id": "7",
    };
    for (const method of ["POST", "DELETE"])
      await (await fetch(`${proxy.url}/mcp/tools/mcp?asked=1`, { method, headers })).text();
    expect(server.hits.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /inner/mcp?own=1&asked=1",
      "DELETE /inner/mcp?own=1&asked=1",
    ]);
    for (const hit of server.hits) {
      expect(hit.headers).toMatchObject({
        authorization: `Bearer ${SECRET}`,
        "mcp-session-id": "s1",
        "mcp-protocol-version": "2025-06-18",
        "last-event-id": "7",
      });
      expect(JSON.stringify(hit.rawHeaders)).not.toContain("theirs");
    }
  });

  it("cannot run pages in the proxy's origin, set cookies or allow other origins", async () => {
    server.respond = (_hit, response) => {
      response.writeHead(200, {
        "content-type": "text/html",
        "set-cookie": "a=b",
        "access-control-allow-origin": "*",
        "mcp-session-id": "s1",
      });
      response.end("<script>fetch('/v1/messages', {method: 'POST'})</script>");
    };
    const response = await fetch(`${proxy.url}/mcp/tools/mcp`);
    await response.text();
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("mcp-session-id")).toBe("s1");
    for (const name of ["set-cookie", "access-control-allow-origin"])
      expect(response.headers.get(name)).toBeNull();
  });
});
