import { expect, it, onTestFinished } from "vitest";
import { startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";

it.each([
  ["", "", "/"],
  ["/", "?b=2", "/?b=2"],
  ["/mcp", "", "/mcp"],
  ["/mcp/", "", "/mcp/"],
  ["/mcp/", "?b=2", "/mcp/?b=2"],
  ["/mcp?a=1", "?b=2", "/mcp?a=1&b=2"],
  ["/mcp/?a=1", "", "/mcp/?a=1"],
])("the MCP relay calls a server at %j with the query %j at %j", async (path, query, expected) => {
  const server = await startFakeUpstream();
  const proxy = await startTestProxy({ mcp: { one: { url: `${server.url}${path}` } } });
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
  });
  const response = await fetch(`${proxy.url}/mcp/one/mcp${query}`, { method: "POST", body: "{}" });
  expect([response.status, await response.text()]).toEqual([200, "{}"]);
  expect(server.hits.map(({ url }) => url)).toEqual([expected]);
});
