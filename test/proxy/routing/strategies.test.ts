import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const message = { role: "assistant", content: "hi" };
const success = json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
const tooLong = json({ error: { message: "Too long", code: "context_length_exceeded" } }, 400);

async function start(members: readonly object[], rule: object = {}) {
  const upstreams: FakeUpstream[] = [];
  for (const _ of members) upstreams.push(await startFakeUpstream(success));
  closers.push(...upstreams.map(({ close }) => close));
  const named = members.map((member, index) => [
    `u${index}`,
    { dialect: "chat-completions", base_url: upstreams[index]?.url, ...member },
  ]);
  const proxy = await startTestProxy({
    upstreams: Object.fromEntries(named),
    models: [{ match: "*", upstream: named.map(([name]) => name), ...rule }],
  });
  closers.push(proxy.close);
  const call = (path = "chat/completions", more: object = {}) =>
    fetch(`${proxy.url}/v1/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-session-id": "one" },
      body: JSON.stringify({
        model: "m",
        max_tokens: 9,
        messages: [{ role: "user", content: "hi" }],
        ...more,
      }),
    });
  return { upstreams, call, hits: () => upstreams.map((upstream) => upstream.hits.length) };
}

const ON = ["error", "rate_limit", "context_window"];
const windowOf = (contextWindow: number) => ({ capabilities: { "*": { contextWindow } } });
const priceOf = (output: number) => ({ prices: { "*": { input: output, output } } });

describe("the rule strategy", () => {
  it("order uses the first upstream, whatever the weights", async () => {
    const { call, hits } = await start([{ weight: 1 }, { weight: 99 }], { strategy: "order" });
    for (let count = 0; count < 6; count += 1) await call();
    expect(hits()).toEqual([6, 0]);
  });

  it("cheapest uses the upstream with the lowest price, then the next", async () => {
    const { call, hits, upstreams } = await start([priceOf(10), priceOf(1), priceOf(5), {}], {
      strategy: "cheapest",
    });
    for (let count = 0; count < 3; count += 1) await call();
    expect(hits()).toEqual([0, 3, 0, 0]);
    if (upstreams[1]) upstreams[1].respond = json({ error: { message: "down" } }, 500);
    expect((await call()).status).toBe(200);
    expect(hits()).toEqual([0, 4, 1, 0]);
  });

  it.each(["chat/completions", "messages"])("least-busy distributes calls in flight to %s", async (path) => {
    const { call, hits, upstreams } = await start([{}, {}, {}], { strategy: "least-busy" });
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    for (const upstream of upstreams)
      upstream.respond = async (hit, response) => {
        await opened;
        await success(hit, response);
      };
    const running = [];
    for (let count = 1; count <= 6; count += 1) {
      running.push(call(path));
      await expect.poll(() => hits().reduce((sum, each) => sum + each, 0)).toBe(count);
    }
    expect(hits()).toEqual([2, 2, 2]);
    open();
    await Promise.all(running);
  });

  it("least-busy counts each upstream call of a request for several candidates", async () => {
    const { call, hits, upstreams } = await start([{ dialect: "messages" }, {}], { strategy: "least-busy" });
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const failure = json({ type: "error", error: { type: "api_error", message: "down" } }, 500);
    for (const [index, respond] of [failure, success].entries())
      Object.assign(upstreams[index] ?? {}, {
        respond: async (...parameters: Parameters<typeof respond>) => {
          await opened;
          await respond(...parameters);
        },
      });
    const running = [call("chat/completions", { n: 3 })];
    await expect.poll(hits).toEqual([3, 0]);
    for (let count = 1; count <= 3; count += 1) {
      running.push(call());
      await expect.poll(hits).toEqual([3, count]);
    }
    running.push(call());
    await expect.poll(hits).toEqual([4, 3]);
    open();
    await Promise.all(running);
    // No call is counted any longer.
    await call();
    expect(hits()).toEqual([5, expect.any(Number)]);
  });

  it("fastest prefers the upstream with the shorter time to the first byte", async () => {
    const { call, hits, upstreams } = await start([{}, {}], { strategy: "fastest" });
    if (upstreams[0])
      upstreams[0].respond = async (hit, response) => {
        await new Promise((resolve) => setTimeout(resolve, 150));
        await success(hit, response);
      };
    for (let count = 0; count < 10; count += 1) await call();
    expect(hits()).toEqual([1, 9]);
  });
});

describe("a prompt that exceeds the context window", () => {
  it.each(["chat/completions", "messages"])(
    "continues at a larger window on %s if the rule allows it",
    async (path) => {
      const { call, hits, upstreams } = await start([windowOf(1_000), windowOf(500), windowOf(9_000)], {
        on: ON,
      });
      if (upstreams[0]) upstreams[0].respond = tooLong;
      expect((await call(path)).status).toBe(200);
      expect(hits()).toEqual([1, 0, 1]);
    },
  );

  it("causes the vendor's error if no window is larger, or if the rule does not allow one", async () => {
    for (const [second, rule] of [
      [windowOf(500), { on: ON }],
      [windowOf(9_000), {}],
    ] as const) {
      const { call, hits, upstreams } = await start([windowOf(1_000), second], rule);
      if (upstreams[0]) upstreams[0].respond = tooLong;
      expect((await call()).status).toBe(400);
      expect(hits()).toEqual([1, 0]);
    }
  });

  it("does not change the effect of other failures", async () => {
    const { call, hits, upstreams } = await start([{}, {}], { on: ["rate_limit"] });
    if (upstreams[0]) upstreams[0].respond = json({ error: { message: "down" } }, 500);
    expect((await call()).status).toBe(500);
    expect(hits()).toEqual([1, 0]);
  });
});
