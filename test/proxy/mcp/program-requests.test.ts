import { resolve } from "node:path";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { connectClient, createSignal } from "../../support/mcp-servers.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";

const PROGRAM = resolve(import.meta.dirname, "../../fixtures/mcp/asking-server.mjs");
const ALL = { sampling: {}, elicitation: {}, roots: {} };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(members: object = { client_requests: true }): Promise<TestProxy> {
  const mcp = { tool: { command: process.execPath, args: [PROGRAM], ...members } };
  const proxy = await startTestProxy({ mcp, mcp_gateway: { list_timeout: 30 } });
  closers.push(proxy.close);
  return proxy;
}

/** Connects the official client, which responds with its name. */
async function connect(proxy: TestProxy, name: string, capabilities: Record<string, object> = ALL) {
  const { client } = await connectClient(`${proxy.url}/mcp`, { capabilities });
  closers.push(() => client.close());
  const received: string[] = [];
  const wait = { until: Promise.resolve() as Promise<void> };
  if ("sampling" in capabilities)
    client.setRequestHandler(CreateMessageRequestSchema, async ({ method }) => {
      received.push(method);
      await wait.until;
      return { model: "m", role: "assistant", content: { type: "text", text: `blue, says ${name}` } };
    });
  if ("elicitation" in capabilities)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      received.push(params.message);
      return { action: "accept", content: { name } };
    });
  if ("roots" in capabilities)
    client.setRequestHandler(ListRootsRequestSchema, ({ method }) => {
      received.push(method);
      return { roots: [{ uri: `file:///${name}` }] };
    });
  const call = async (tool: string, signal?: AbortSignal) => {
    const result = await client.callTool({ name: `tool__${tool}` }, undefined, { signal });
    return (result.content as { text: string }[])[0]?.text;
  };
  return { call, received, wait };
}

describe("requests of an MCP server that the proxy starts", () => {
  it("reach the client whose call is running: completions, input and roots", async () => {
    const proxy = await start();
    const [one, two] = [await connect(proxy, "one"), await connect(proxy, "two")];
    expect(await one.call("sample")).toBe("blue, says one");
    expect(await two.call("sample")).toBe("blue, says two");
    expect(JSON.parse((await two.call("elicit")) ?? "")).toEqual({
      action: "accept",
      content: { name: "two" },
    });
    expect(await one.call("roots")).toBe("file:///one");
    expect([one.received, two.received]).toEqual([
      ["sampling/createMessage", "roots/list"],
      ["sampling/createMessage", "Your name?"],
    ]);
  });

  it("are rejected while calls of several clients run, so that no client receives those of another", async () => {
    const proxy = await start();
    const [one, two] = [await connect(proxy, "one"), await connect(proxy, "two")];
    const stopping = new AbortController();
    const waiting = one.call("wait", stopping.signal).catch(() => "canceled");
    await expect.poll(() => two.call("sample")).toContain("No client accepts this request");
    expect(one.received).toEqual([]);
    stopping.abort();
    await waiting;
    await expect.poll(() => two.call("sample")).toBe("blue, says two");
    expect(one.received).toEqual([]);
  });

  it("are rejected if the client lacks the capability, and end with the client's call", async () => {
    const proxy = await start();
    const plain = await connect(proxy, "plain", { roots: {} });
    expect(await plain.call("sample")).toContain("No client accepts this request");
    expect(await plain.call("roots")).toBe("file:///plain");
    const slow = await connect(proxy, "slow");
    const { promise, resolve: release } = createSignal();
    slow.wait.until = promise;
    const stopping = new AbortController();
    const canceled = slow.call("sample", stopping.signal).catch(() => "canceled");
    await until(() => slow.received.length === 1);
    stopping.abort();
    expect(await canceled).toBe("canceled");
    release();
    // The late response no longer belongs to a request of the program.
    expect(await plain.call("roots")).toBe("file:///plain");
  });

  it("are not accepted without `client_requests`, and no capabilities are declared", async () => {
    const client = await connect(await start({}), "one");
    expect(await client.call("known")).toBe("");
    expect(await client.call("sample")).toMatch(/does not support sampling|No client accepts/);
    expect(await (await connect(await start(), "two")).call("known")).toBe("sampling,elicitation,roots");
  });
});
