import { request } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

const KEY = "sk-of-the-proxy-0123456789";
let upstream: FakeUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  upstream = await startFakeUpstream(json({ candidates: [] }));
  const google = {
    dialect: "generative-language",
    base_url: `${upstream.url}/inner/v1beta`,
    api_key: "sk-upstream-0123",
    models: ["m"],
  };
  // A name that no random path equals, because that path would correctly lead to this upstream.
  const models = ["of-the-other-vendor"];
  const responses = { dialect: "responses", base_url: `${upstream.url}/inner/v1`, models };
  proxy = await startTestProxy({ api_keys: [KEY], upstreams: { google, responses } });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

/** Sends the path unchanged: `fetch` and `inject` would resolve its dots. */
function call(method: "GET" | "POST" | "DELETE", path: string): Promise<number> {
  const headers = method === "POST" ? { "content-type": "application/json" } : {};
  return new Promise((resolve, reject) => {
    const sent = request(`${proxy.url}/`, { method, path, headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject).end(method === "POST" ? "{}" : undefined);
  });
}

/** Returns the paths of the calls at a server that resolves dots. */
const reached = () => upstream.hits.map(({ url }) => new URL(url, "http://x").pathname);

describe("P7 a model name in a path", () => {
  it.each([
    "..",
    ".",
    "%2e%2e",
    "%2E%2E",
    "../../admin",
    "%2e%2e%2fadmin",
    "a%2f..%2f..%2fadmin",
    "a/../../admin",
    "..%5cadmin",
    "a%00",
    "a%0d%0aHost:%20evil",
    "a%20b",
    "a%3fb=c",
    "a%23b",
    "a;b",
    "a%25b",
    "models/../x",
    "a".repeat(2_000),
    "%f0%9f%8f%b0",
    "a//b",
    "a/./b",
    "/a",
  ])("leads nowhere else: %s", async (name) => {
    upstream.hits.length = 0;
    for (const url of [
      `/v1beta/models/${name}:generateContent`,
      `/v1beta/models/${name}/countTokens`,
      `/v1/models/${name}:generateContent`,
    ])
      expect([url, await call("POST", url)]).toEqual([url, expect.toSatisfy((status) => status >= 400)]);
    expect(reached()).toEqual([]);
  });

  it("cannot leave the base URL", async () => {
    upstream.hits.length = 0;
    const piece = fc.oneof(
      fc.constantFrom("..", ".", "/", "%2e", "%2f", "\\", "%5c", ":", "m", "@", "?", "#"),
      fc.string({ maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const name = pieces.join("").replace(/[^\x21-\x7e]/g, "");
        await call("POST", `/v1beta/models/${name}:generateContent`);
      }),
      { numRuns: 300 },
    );
    expect(
      reached().filter((path) => !/^\/inner\/v1beta\/models\/[\w.:@/-]+:generateContent$/.test(path)),
    ).toEqual([]);
  });

  it("cannot leave the base URL as a stored response's id", async () => {
    upstream.hits.length = 0;
    for (const id of ["..", ".", "%2e%2e", "a%2fb", "a%2f..%2fb", "resp_1"]) {
      await call("GET", `/v1/responses/${id}`);
      await call("DELETE", `/v1/responses/${id}`);
    }
    expect([...new Set(reached())]).toEqual(["/inner/v1/responses/resp_1"]);
  });

  it.each(["key", "%6bey", "k%65y", "ke%79", "%6b%65%79", "%6B%65y", "KEY", "k%45y"])(
    "goes without the proxy's key as ?%s=",
    async (name) => {
      upstream.hits.length = 0;
      await call("POST", `/v1beta/models/m:generateContent?alt=json&${name}=${KEY}&%24x=1`);
      expect(upstream.hits.map(({ url }) => url)).toEqual([
        "/inner/v1beta/models/m:generateContent?alt=json&%24x=1",
      ]);
      expect(JSON.stringify(upstream.hits)).not.toContain(KEY);
    },
  );
});
