import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseModelData, readModelData } from "../../../src/config/proxy/model-data.ts";
import { createModelDirectory } from "../../../src/proxy/models/model-directory.ts";
import { createPools } from "../../../src/proxy/upstream/pools.ts";
import { findModelData, setModelLookup } from "../../../src/proxy/usage/cost.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf, startTestProxy } from "../../support/start-proxy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { chatResponse } from "../translate/harness.ts";

const JSON_TYPE = { "content-type": "application/json" };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 };

/** Starts a proxy with a Groq upstream that is served by a stand-in. */
async function behindGroq(more: object = {}, upstream: object = {}) {
  const fake = await startFakeUpstream(json(chatResponse({ content: "ok" }, "stop", { usage })));
  closers.push(fake.close);
  const proxy = await startTestProxy({
    upstreams: { main: { vendor: "groq", base_url: `${fake.url}/v1`, ...upstream } },
    models: [{ match: "*", upstream: "main" }],
    ...more,
  });
  closers.push(proxy.close);
  const ask = async (model: string, max_tokens = 10) => {
    const body = JSON.stringify({ model, max_tokens, messages: [{ role: "user", content: "Hi" }] });
    const response = await fetch(`${proxy.url}/v1/messages`, { method: "POST", headers: JSON_TYPE, body });
    await response.text();
    return { cost: proxy.records.at(-1)?.cost, sent: JSON.parse(fake.hits.at(-1)?.body.toString() ?? "{}") };
  };
  return { proxy, fake, ask };
}

const own = {
  groq: {
    id: "groq",
    models: {
      "gemma2-9b-it": {
        limit: { context: 100, output: 50 },
        cost: { input: 5, output: 6 },
        modalities: { input: ["text"] },
      },
    },
  },
};

describe("model data", () => {
  it("prices a vendor's models and limits their output from the first call on", async () => {
    const { ask } = await behindGroq();
    const { cost, sent } = await ask("gemma2-9b-it", 20_000);
    expect(cost).toBeCloseTo(0.2 + 0.2);
    expect(sent["max_completion_tokens"]).toBe(8_192);
    expect((await ask("no-such-model")).cost).toBeUndefined();
  });

  it("yields to the configured prices", async () => {
    const { ask } = await behindGroq({}, { prices: { "gemma*": { input: 1, output: 2 } } });
    expect((await ask("gemma2-9b-it")).cost).toBeCloseTo(3);
  });

  it("comes from the user's URL first, and from the bundled data if that fails", async () => {
    const source = await startFakeUpstream(json(own));
    closers.push(source.close);
    const first = await behindGroq({ model_data: { url: `${source.url}/api.json` } });
    expect((await first.ask("gemma2-9b-it")).cost).toBeCloseTo(11);
    expect((await first.ask("llama-3.3-70b-versatile")).cost).toBeCloseTo(0.59 + 0.79);
    expect(source.hits.map(({ url }) => url)).toEqual(["/api.json"]);
    source.respond = json({ error: "down" }, 503);
    const second = await behindGroq({ model_data: { url: source.url } });
    expect((await second.ask("gemma2-9b-it")).cost).toBeCloseTo(0.4);
  });

  it("is not loaded for upstreams of unknown vendors", () => {
    const pools = createPools();
    closers.push(pools.destroy);
    const unknown = configOf({ upstreams: { a: { dialect: "messages", base_url: "http://127.0.0.1:9" } } });
    expect(createModelDirectory(unknown, pools, setModelLookup).load()).toBeUndefined();
  });

  it("has context windows, image input and prices of long prompts", async () => {
    const pools = createPools();
    closers.push(pools.destroy);
    const config = configOf({ upstreams: { a: { vendor: "gemini", api_key: "k-1" } } });
    await createModelDirectory(config, pools, setModelLookup).load();
    const upstream = config.upstreams.get("a") as NonNullable<ReturnType<typeof config.upstreams.get>>;
    expect(findModelData(upstream, "gemini-2.5-flash")).toMatchObject({
      contextWindow: 1_048_576,
      takesImages: true,
      reasons: true,
      isOwn: false,
    });
    const parsed = parseModelData(
      JSON.stringify({
        x: {
          models: {
            m: { cost: { input: 1, output: 2, cache_read: 0.1, context_over_200k: { input: 2, output: 3 } } },
          },
        },
      }),
      "test",
    );
    expect(parsed["x"]?.["m"]?.price).toEqual({
      input: 1,
      output: 2,
      cacheRead: 0.1,
      longPrompt: { above: 200_000, input: 2, output: 3 },
    });
  });

  it("says why its URL cannot be used", async () => {
    const source = await startFakeUpstream(json({}, 503));
    const pools = createPools();
    closers.push(source.close, pools.destroy);
    const upstreams = { a: { vendor: "groq", api_key: "k-1" } };
    const config = configOf({ upstreams, model_data: { url: source.url } });
    const directory = createModelDirectory(config, pools, setModelLookup);
    await directory.load();
    expect(directory.failure()).toMatch(
      /^Cannot fetch the model data from http.*: the server returned status 503$/,
    );
  });

  it("stays in use after a reload while its URL fails", async () => {
    const source = await startFakeUpstream(json(own));
    const pools = createPools();
    closers.push(source.close, pools.destroy);
    const upstreams = { a: { vendor: "groq", api_key: "k-1" } };
    const config = configOf({ upstreams, model_data: { url: source.url } });
    const reasons: string[] = [];
    const host = { fetched: new Map(), onFailure: (reason: string) => void reasons.push(reason) };
    const load = () => createModelDirectory(config, pools, setModelLookup, host).load();
    const [upstream] = config.upstreams.values();
    const window = () => upstream && findModelData(upstream, "gemma2-9b-it")?.contextWindow;
    await load();
    expect([window(), reasons]).toEqual([100, []]);
    source.respond = json({}, 500);
    await load();
    expect(window()).toBe(100);
    expect(reasons).toEqual([expect.stringMatching(/the server returned status 500$/)]);
  });

  it("is read from a file, relative to the folder of the configuration", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "models.json"), JSON.stringify(own));
    const data = await readModelData({ file: "models.json" }, folder);
    expect(data?.["groq"]?.["gemma2-9b-it"]?.contextWindow).toBe(100);
  });

  it("names the file and the reason if it cannot be used", async () => {
    await expect(readModelData({ file: "no-such.json" }, "/nowhere")).rejects.toThrow(
      /Cannot read the model data \/nowhere\/no-such\.json: no such file/,
    );
    expect(() => parseModelData('{"x": {"models": {"m": {"cost": {"input": "1"}}}}}', "f.json")).toThrow(
      /The model data f\.json is invalid: x\.models\.m\.cost\.input/,
    );
    expect(() => parseModelData("{", "f.json")).toThrow(/The model data f\.json is invalid/);
  });
});
