import { afterEach, describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/proxy/usage/estimate-tokens.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";

const KEY = "sk-limited-0123456789abcdef";
const IMAGES = 3;
/** One microdollar for each token. */
const prices = { "*": { input: 1, output: 1 } };
/** The longest output of the model, in tokens. */
const LONGEST = 1_290;
const PNG = "iVBORw0KGgo=";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const parts = [{ inlineData: { mimeType: "image/png", data: PNG } }];
const painted = json({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1_000, totalTokenCount: 1_009 },
});
const USED = 9 + 1_000;
const refused = json({ error: { code: 400, status: "INVALID_ARGUMENT", message: "no third one" } }, 400);
const request = { model: "gemini-image", prompt: "A lighthouse in the fog", n: IMAGES };
const input = estimateTokens(request);

/** Starts a proxy with a limited key and one generative-language upstream. */
async function start(limits: object, respond: FakeUpstream["respond"], more = {}) {
  const google = await startFakeUpstream(respond);
  closers.push(google.close);
  const proxy = await startTestProxy(
    {
      auth_mode: "strict",
      api_keys: [{ name: "alice", key_env: "TEST_LIMITED_KEY", limits }],
      upstreams: {
        google: {
          dialect: "generative-language",
          base_url: google.url,
          prices,
          capabilities: { "*": { maxOutputTokens: LONGEST } },
          ...more,
        },
      },
      models: [{ match: "*", upstream: "google" }],
    },
    { TEST_LIMITED_KEY: KEY },
  );
  closers.push(proxy.close);
  const paint = (body: object = request) =>
    fetch(`${proxy.url}/v1/images/generations`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify(body),
    });
  const status = async (body?: object) => {
    const response = await paint(body);
    await response.text();
    return response.status;
  };
  return { google, proxy, paint, status };
}

const budget = (micros: number) => ({ budgets: [{ usd: micros / 1_000_000, period: "total" }] });

describe("a request for several images", () => {
  const needed = IMAGES * (input + LONGEST);

  it("reserves input and output once for each call, to the microdollar", async () => {
    const short = await start(budget(needed - 1), painted);
    expect([await short.status(), short.google.hits]).toEqual([429, []]);
    const { status, google, proxy } = await start(budget(needed), painted);
    expect([await status(), google.hits.length]).toEqual([200, IMAGES]);
    await expect.poll(() => proxy.records[0]?.cost).toBe((IMAGES * USED) / 1_000_000);
  });

  it("reserves its input once for a model that returns several images per call", async () => {
    const imagen = { ...request, model: "imagen-4" };
    const predictions = Array.from({ length: IMAGES }, () => ({ bytesBase64Encoded: PNG }));
    const { status, google } = await start(budget(input + IMAGES * LONGEST), json({ predictions }));
    expect([await status(imagen), google.hits.length]).toEqual([200, 1]);
  });

  it("is charged for the images that succeeded if another one is refused", async () => {
    let calls = 0;
    const { paint, proxy } = await start(budget(2 * needed), (hit, response) => {
      calls += 1;
      return calls % IMAGES === 0 ? refused(hit, response) : painted(hit, response);
    });
    const response = await paint();
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("no third one")]);
    await expect
      .poll(() => proxy.records[0]?.usage)
      .toMatchObject({ input: { total: 18 }, output: { total: 2_000 } });
    expect(proxy.records[0]?.cost).toBe((2 * USED) / 1_000_000);
  });

  it("is charged for the images that succeeded if another one is cut off", async () => {
    const { status, proxy, google } = await start(budget(2 * needed), (hit, response) => {
      if (google.hits.length < IMAGES) return painted(hit, response);
      return response.destroy();
    });
    expect(await status()).toBe(502);
    await expect.poll(() => proxy.records[0]?.cost).toBe((2 * USED) / 1_000_000);
  });

  it("is charged for all images if the model has painted one of them only", async () => {
    const spoken = json({
      candidates: [{ content: { role: "model", parts: [{ text: "I may not." }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
    });
    const { status, proxy, google } = await start(budget(needed), (hit, response) =>
      google.hits.length === 1 ? spoken(hit, response) : painted(hit, response),
    );
    expect(await status()).toBe(400);
    await expect.poll(() => proxy.records[0]?.cost).toBe((13 + 2 * USED) / 1_000_000);
  });

  it("counts each call against the limits of its upstream", async () => {
    const { status, google } = await start({}, painted, { limits: { rpm: 2 * IMAGES, concurrency: IMAGES } });
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    expect(google.hits).toHaveLength(2 * IMAGES);
  });

  it("for more images than allowed is rejected as invalid, not as too expensive", async () => {
    const { status, google } = await start(budget(10 * (input + LONGEST)), painted);
    expect([await status({ ...request, n: 1_000 }), google.hits]).toEqual([400, []]);
  });
});
