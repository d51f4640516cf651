import { afterEach, describe, expect, it } from "vitest";
import { readEvents } from "../../../../src/proxy/mcp/gateway/http-exchange.ts";
import { MESSAGE_BOUNDS, parseRpc } from "../../../../src/proxy/mcp/gateway/json-rpc.ts";
import { startTestProxy } from "../../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Returns the JSON of an object with this many members. */
function objectText(members: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}`, 0])));
}

/** Reads a stream of one event. */
function readEvent(data: string) {
  const body = (async function* () {
    yield Buffer.from(`data: ${data}\n\n`);
  })();
  return readEvents({ status: 200, headers: {}, body } as never, 1, () => {});
}

describe("large messages of MCP", () => {
  it("are parsed without validating or copying their members", () => {
    const params: unknown = JSON.parse(objectText(10_000));
    const parsed = parseRpc({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect(parsed && "params" in parsed && parsed.params).toBe(params);
    expect(parseRpc({ jsonrpc: "2.0", id: 1, method: "tools/call", params: [] })).toBeUndefined();
    expect(parseRpc({ jsonrpc: "2.0", id: 1, result: params })).toHaveProperty("result", params);
  });

  it("are rejected above the bounds of other calls", async () => {
    const proxy = await startTestProxy({ mcp: { one: { url: "http://127.0.0.1:9/mcp" } } });
    closers.push(proxy.close);
    const send = async (params: string) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      const response = await fetch(`${proxy.url}/mcp`, { method: "POST", headers, body });
      return { status: response.status, text: await response.text() };
    };
    expect(await send(objectText(MESSAGE_BOUNDS.values))).toMatchObject({
      status: 400,
      text: expect.stringContaining("more than 130000 values"),
    });
    expect((await send("[".repeat(1_000) + "]".repeat(1_000))).status).toBe(400);
  });

  it("are also rejected in an event of a server", async () => {
    const inside = await readEvent(`{"jsonrpc":"2.0","id":1,"result":${objectText(1_000)}}`);
    expect(inside.response?.id).toBe(1);
    await expect(
      readEvent(`{"jsonrpc":"2.0","id":1,"result":${objectText(MESSAGE_BOUNDS.values)}}`),
    ).rejects.toMatchObject({ code: "upstream_invalid" });
    const withId = `{"jsonrpc":"2.0","id":1,"result":${objectText(MESSAGE_BOUNDS.values)}}\nid: 7`;
    await expect(readEvent(withId)).rejects.toMatchObject({ code: "upstream_invalid" });
  });

  it("are validated over several turns of the event loop if they are a batch", async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const batch = `[${'{"jsonrpc":"2.0"},'.repeat(10_000)}{"jsonrpc":"2.0","id":1,"result":{}}]`;
    const { response } = await readEvent(batch);
    clearImmediate(timer);
    expect(response?.id).toBe(1);
    expect(turns).toBeGreaterThan(10_000 / 300);
  });
});
