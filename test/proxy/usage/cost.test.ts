import { describe, expect, it } from "vitest";
import { getProfile } from "../../../src/proxy/dialects/index.ts";
import { sumUsages } from "../../../src/proxy/exchange/usage.ts";
import { readableLine } from "../../../src/proxy/observability/readable-line.ts";
import { computeCost, findPrice } from "../../../src/proxy/usage/cost.ts";
import { priceLists } from "../../../src/proxy/usage/list-prices.ts";
import { usageFrom } from "../../../src/proxy/usage/read-usage.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf, startTestProxy, until } from "../../support/start-proxy.ts";

const MILLION = 1_000_000;

function upstreamWith(prices: object = {}) {
  const { upstreams } = configOf({
    upstreams: { a: { dialect: "messages", base_url: "http://x", prices } },
  });
  return upstreams.get("a");
}

/** The usage of a response of Anthropic. */
const messages = (counts: object) =>
  usageFrom(getProfile("messages").response, { input_tokens: 0, output_tokens: 0, ...counts });

describe("the cost of a call", () => {
  it("is the sum of its tokens, each at the price of its kind and counted once", () => {
    const upstream = upstreamWith();
    const cost = (counts: object, model = "claude-sonnet-4-6") =>
      computeCost(messages(counts), upstream, model);
    expect(cost({ input_tokens: MILLION })).toBe(3);
    expect(cost({ output_tokens: MILLION })).toBe(15);
    expect(cost({ cache_read_input_tokens: MILLION })).toBe(0.3);
    expect(cost({ cache_creation_input_tokens: MILLION })).toBe(3.75);
    const hour = { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: MILLION } };
    expect(cost({ cache_creation_input_tokens: MILLION, ...hour })).toBe(6);
    expect(cost({ input_tokens: 1, cache_read_input_tokens: 1000, output_tokens: 10 })).toBe(0.000453);
  });

  it("is not known if the vendor's count is negative", () => {
    const usage = messages({ input_tokens: MILLION, output_tokens: -5 });
    expect(usage?.output).toEqual({});
    expect(computeCost(usage, upstreamWith(), "claude-sonnet-4-6")).toBeUndefined();
  });

  it("has the price of long prompts only if the prompt of each of its upstream calls is long", () => {
    const price = { input: 1, output: 1, long_prompt: { above: 200_000, input: 2, output: 2 } };
    const upstream = upstreamWith({ "*": price });
    const cost = (tokens: number) =>
      computeCost(sumUsages(Array(3).fill(messages({ input_tokens: tokens }))), upstream, "m");
    expect([cost(100_000), cost(300_000)]).toEqual([0.3, 1.8]);
  });

  it("counts cached tokens once, whether or not the vendor's input includes them", () => {
    const chat = { prompt_tokens: 1000, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 800 } };
    expect(
      computeCost(usageFrom(getProfile("chat-completions").response, chat), upstreamWith(), "gpt-5.4"),
    ).toBe(0.0007);
    const google = { promptTokenCount: 1000, cachedContentTokenCount: 800, candidatesTokenCount: 0 };
    expect(
      computeCost(
        usageFrom(getProfile("generative-language").response, google),
        upstreamWith(),
        "gemini-2.5-flash",
      ),
    ).toBe(0.000084);
  });

  it.each([
    ["Kimi", "cached_tokens"],
    ["DeepSeek", "prompt_cache_hit_tokens"],
  ])("counts the cached tokens of %s, which are not among the details", (_, member) => {
    const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000, [member]: 800 };
    const counts = usageFrom(getProfile("chat-completions").response, usage);
    expect(counts?.input).toEqual({ total: 1000, uncached: 200, cacheRead: 800 });
    expect(computeCost(counts, upstreamWith(), "gpt-5.4")).toBe(0.0007);
  });

  it("uses the prices of long prompts for the whole call above the threshold", () => {
    const cost = (cached: number) =>
      computeCost(
        messages({ input_tokens: 1, cache_read_input_tokens: cached }),
        upstreamWith(),
        "claude-haiku-5-5",
      );
    expect(cost(99_999)).toBe(0.00100009);
    expect(cost(100_000)).toBe(0.0050005);
  });

  it.each([
    ["claude-opus-5-5-20260922", 4],
    ["anthropic/claude-opus-5-5", 4],
    ["Claude-Opus-5-5[1m]", 4],
    ["gpt-4o-2024-11-20", 2.5],
    ["claude-haiku-4-5-latest", 1],
    ["claude-opus-6", undefined],
    ["gpt-6.1-sol", undefined],
    ["gpt-5-turbo", undefined],
    ["qwen3", undefined],
    ["constructor", undefined],
  ])("uses the names of the price list, and no others: %s", (model, input) => {
    const upstream = upstreamWith();
    expect(upstream && findPrice(upstream, model)?.input).toBe(input);
  });

  it("is unknown if the vendor does not report the tokens, or the list has no price", () => {
    const upstream = upstreamWith();
    expect(computeCost(undefined, upstream, "claude-opus-5")).toBeUndefined();
    expect(computeCost({ input: { total: 5 }, output: {} }, upstream, "claude-opus-5")).toBeUndefined();
    const estimated = { input: { total: 5 }, output: { total: 5 }, estimated: true };
    expect(computeCost(estimated, upstream, "claude-opus-5")).toBeUndefined();
    const written = { input: { total: 5, cacheWrite: 1 }, output: { total: 5 } };
    expect(computeCost(written, upstream, "gpt-5.4")).toBeUndefined();
  });

  it("uses the first matching configured price before the list price", () => {
    const upstream = upstreamWith({
      "claude-opus-*": { input: 1, output: 2 },
      "*": { input: 0, output: 0, cache_read: 0, long_prompt: { above: 10, input: 7, output: 0 } },
    });
    expect(computeCost(messages({ input_tokens: MILLION }), upstream, "claude-opus-5")).toBe(1);
    expect(computeCost(messages({ input_tokens: 5 }), upstream, "gpt-5")).toBe(0);
    expect(computeCost(messages({ input_tokens: MILLION }), upstream, "gpt-5")).toBe(7);
  });

  it("is logged, and 0 differs from unknown", async () => {
    const upstream = await startFakeUpstream(
      json({ type: "message", content: [], usage: { input_tokens: 1000, output_tokens: 100 } }),
    );
    const proxy = await startTestProxy({
      upstreams: {
        a: { dialect: "messages", base_url: upstream.url, prices: { free: { input: 0, output: 0 } } },
      },
      models: [{ match: "alias", upstream: "a", model: "claude-sonnet-5" }],
    });
    for (const model of ["alias", "free", "nobody-knows"]) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ model, messages: [] });
      await (await fetch(`${proxy.url}/v1/messages`, { method: "POST", headers, body })).text();
    }
    await until(() => proxy.records.length === 3);
    expect(proxy.records.map(({ cost }) => cost)).toEqual([0.003, 0, undefined]);
    const [first = "", second = "", third = ""] = proxy.records.map(readableLine);
    expect([first, second, third].map((line) => /\$\S+/.exec(line)?.[0])).toEqual([
      "$0.0030",
      "$0",
      undefined,
    ]);
    await proxy.close();
    await upstream.close();
  });
});

describe("the price lists", () => {
  it("name their source and date, and no model twice", () => {
    const names = priceLists.flatMap(({ prices }) => Object.keys(prices));
    expect(new Set(names).size).toBe(names.length);
    for (const { read, source } of priceLists) {
      expect(new Date(read).toISOString()).toContain(read);
      expect(source).toMatch(/^https:\/\/(platform\.claude|developers\.openai|ai\.google)\./);
    }
  });
});
