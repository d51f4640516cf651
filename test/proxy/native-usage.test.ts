import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A proxy in front of an upstream that responds with these bytes. */
async function inFrontOf(bytes: Buffer, headers: Record<string, string> = {}) {
  const upstream: FakeUpstream = await startFakeUpstream((_hit, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(bytes);
  });
  closers.push(upstream.close);
  const main = { dialect: "chat-completions", base_url: upstream.url, api_key: "sk-upstream-0123456789" };
  const proxy = await startTestProxy({ upstreams: { main } });
  closers.push(proxy.close);
  return { proxy, upstream };
}

async function ask({ url }: TestProxy): Promise<{ text: string; coding: string | null }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: '{"model":"m"}',
    headers: { "content-type": "application/json", "accept-encoding": "gzip, deflate, br" },
  });
  return { text: await response.text(), coding: response.headers.get("content-encoding") };
}

const completion = (size: number) =>
  Buffer.from(
    JSON.stringify({
      choices: [{ message: { content: "é".repeat(size) } }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    }),
  );

const packers = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };

describe("usage in the native lane", () => {
  it.each(Object.entries(packers))(
    "is read from a copy of a response compressed with %s",
    async (coding, pack) => {
      const { proxy, upstream } = await inFrontOf(pack(completion(1000)), { "content-encoding": coding });
      const { text, coding: passed } = await ask(proxy);
      expect(passed).toBe(coding);
      expect(text).toBe(completion(1000).toString());
      expect(upstream.hits[0]?.headers["accept-encoding"]).toContain(coding);
      await until(() => proxy.records.length === 1);
      expect(proxy.records[0]?.usage).toMatchObject({ input: { total: 3 }, output: { total: 2 } });
    },
  );

  it("is missing if the coding is not the declared one, without another effect", async () => {
    const { proxy } = await inFrontOf(completion(10), { "content-encoding": "br" });
    await ask(proxy).catch(() => {});
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({ status: 200, usage: undefined });
  });

  it.each([10, 20_000, 300_000])("is read from the end of a response with %d letters", async (size) => {
    const { proxy } = await inFrontOf(completion(size));
    expect((await ask(proxy)).text).toBe(completion(size).toString());
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]?.usage).toMatchObject({ input: { total: 3 }, output: { total: 2 } });
  });
});
