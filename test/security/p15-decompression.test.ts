import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { readText } from "../../src/proxy/upstream/send.ts";
import { type Respond, startFakeUpstream } from "../support/fake-upstream.ts";
import { question } from "../support/faulty-upstream.ts";
import { startTestProxy } from "../support/start-proxy.ts";

const MEBIBYTE = 1024 * 1024;

async function setUp(respond?: Respond) {
  const upstream = await startFakeUpstream(respond);
  const proxy = await startTestProxy({
    limits: { body: MEBIBYTE },
    upstreams: { a: { dialect: "chat-completions", base_url: upstream.url, models: ["m"] } },
  });
  onTestFinished(async () => {
    await proxy.close();
    await upstream.close();
  });
  return { upstream, proxy };
}

/** The best compression level would take seconds. */
const quickBrotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const CODINGS = { gzip: gzipSync, deflate: deflateSync, br: quickBrotli };

describe("P15 a decompression bomb", () => {
  it.each(Object.entries(CODINGS))(
    "from a client, as %s, is refused at the limit",
    async (coding, compress) => {
      const { upstream, proxy } = await setUp();
      const bomb = compress(Buffer.from(`{"model":"m","x":"${"x".repeat(20 * MEBIBYTE)}"}`));
      expect(bomb.length).toBeLessThan(MEBIBYTE);
      const response = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": coding },
        body: new Uint8Array(bomb),
      });
      expect(response.status).toBe(413);
      await response.text();
      expect(upstream.hits).toEqual([]);
    },
  );

  it.each(["constructor", "toString", "zstd", "gzip, gzip", "x".repeat(500)])(
    "in the coding %s is not read",
    async (coding) => {
      const { upstream, proxy } = await setUp();
      const headers = { "content-type": "application/json", "content-encoding": coding };
      const response = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: "POST",
        headers,
        body: '{"model":"m"}',
      });
      expect(response.status).toBe(415);
      await response.text();
      expect(upstream.hits).toEqual([]);
    },
  );

  it.each(Object.entries(CODINGS))(
    "from an upstream, as %s, is given up where it is to be translated",
    async (coding, compress) => {
      const bomb = compress(Buffer.from(`{"choices":[],"x":"${"x".repeat(20 * MEBIBYTE)}"}`));
      const { upstream, proxy } = await setUp((_hit, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": coding }).end(bomb);
      });
      const { path, body } = question("messages", "m", false);
      const response = await fetch(`${proxy.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect([response.status, await response.json()]).toEqual([
        502,
        expect.objectContaining({ type: "error" }),
      ]);
      expect(upstream.hits[0]?.headers["accept-encoding"]).toBe("identity");
    },
  );
});

it("P15 a response is collected up to its limit only", async () => {
  let asked = 0;
  async function* endless() {
    for (; asked < 1_000; asked += 1) yield Buffer.alloc(100);
  }
  await expect(readText({ status: 200, headers: {}, body: endless() }, "a", 1_000)).rejects.toThrow(
    /larger than/,
  );
  expect(asked).toBeLessThan(20);
});
