import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";

const KEY = "sk-limited-0123456789abcdef";
const FREE = "sk-free-0123456789abcdefgh";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** 100 tokens of output cost $1, input nothing. */
const prices = { "*": { input: 0, output: 10_000 } };
const usage = { prompt_tokens: 5, completion_tokens: 40, total_tokens: 45 };
const message = { role: "assistant", content: "hi" };
const success = json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }, 200, {
  "x-ratelimit-limit-requests": "77777",
  "anthropic-ratelimit-unified-status": "theirs",
  "x-codex-primary-used-percent": "77777",
});

interface World {
  readonly proxy: TestProxy;
  readonly upstream: FakeUpstream;
  call(
    path?: string,
    options?: { key?: string; max?: number; model?: string; stream?: boolean },
  ): Promise<Response>;
}

async function start(limits: object, more: object = {}, members: object = {}): Promise<World> {
  const upstream = await startFakeUpstream(success);
  closers.push(upstream.close);
  const settings = {
    auth_mode: "strict",
    api_keys: [
      { name: "alice", key_env: "TEST_LIMITED_KEY", limits, ...members },
      { name: "free", key_env: "TEST_FREE_KEY" },
    ],
    upstreams: { vendor: { dialect: "chat-completions", base_url: upstream.url, prices } },
    models: [{ match: "*", upstream: "vendor" }],
    ...more,
  };
  const proxy = await startTestProxy(settings, { TEST_LIMITED_KEY: KEY, TEST_FREE_KEY: FREE });
  closers.push(proxy.close);
  return {
    proxy,
    upstream,
    call: (path = "chat/completions", { key = KEY, max = 100, model = "m", stream = false } = {}) =>
      fetch(`${proxy.url}${path.startsWith("/") ? path : `/v1/${path}`}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify(bodyFor(path, model, max, stream)),
      }),
  };
}

function bodyFor(path: string, model: string, max: number, stream: boolean): object {
  if (path === "responses") return { model, input: "hi", max_output_tokens: max, stream };
  if (path.startsWith("/v1beta"))
    return {
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      generationConfig: { maxOutputTokens: max },
    };
  return { model, max_tokens: max, stream, messages: [{ role: "user", content: "hi" }] };
}

const ROUTES = ["chat/completions", "messages", "responses", "/v1beta/models/m:generateContent"] as const;
const errorIn = async (response: Response) =>
  ((await response.json()) as { error: Record<string, unknown> }).error;

describe("a key with limits", () => {
  it.each(ROUTES)(
    "is rejected in the dialect of %s, with retry-after and the remaining limits",
    async (path) => {
      const { call, upstream } = await start({ rpm: 2, tpm: 100_000 });
      for (const left of ["1", "0"]) {
        const response = await call(path);
        expect(response.status).toBe(200);
        await response.text();
        const { headers } = response;
        if (path.endsWith("completions") || path === "responses") {
          expect(headers.get("x-ratelimit-remaining-requests")).toBe(left);
          expect(headers.get("x-ratelimit-limit-tokens")).toBe("100000");
        }
        if (path === "messages") expect(headers.get("anthropic-ratelimit-requests-remaining")).toBe(left);
        expect([...headers.values()].join(" ")).not.toMatch(/77777|theirs/);
      }
      const refused = await call(path);
      expect(refused.status).toBe(429);
      expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      const error = await errorIn(refused);
      if (path === "messages") expect(error["type"]).toBe("rate_limit_error");
      else if (path.startsWith("/v1beta")) expect(error["status"]).toBe("RESOURCE_EXHAUSTED");
      else expect(error["code"]).toBe("rate_limit_exceeded");
      expect(upstream.hits).toHaveLength(2);
      const free = await call(path, { key: FREE });
      expect(free.status).toBe(200);
      if (path === "chat/completions") expect(free.headers.get("x-codex-primary-used-percent")).toBe("77777");
    },
  );

  it.each(ROUTES)("reserves a budget and is charged the real cost on %s", async (path) => {
    const { call, upstream } = await start({ budgets: [{ usd: 1, period: "day" }] });
    expect((await call(path)).status).toBe(200);
    // $0.40 are spent.
    const refused = await call(path, { max: 61 });
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([429, "false"]);
    const error = await errorIn(refused);
    expect(error["message"]).toMatch(/\$1 per day.*\d{4}-\d\d-\d\d/);
    if (path === "messages") expect(error["type"]).toBe("billing_error");
    else if (path.startsWith("/v1beta")) expect(error["status"]).toBe("RESOURCE_EXHAUSTED");
    else expect(error["code"]).toBe("insufficient_quota");
    expect((await call(path, { max: 60 })).status).toBe(200);
    expect(upstream.hits).toHaveLength(2);
  });

  it("gets its reservation back if the upstream fails", async () => {
    const { call, upstream } = await start({ budgets: [{ usd: 1, period: "month" }] });
    upstream.respond = json({ error: { message: "no" } }, 400);
    expect((await call()).status).toBe(400);
    upstream.respond = success;
    expect((await call()).status).toBe(200);
  });

  it("may call only the models in its list, whatever upstream they name", async () => {
    const { call, upstream } = await start({}, {}, { models: ["m-*"] });
    for (const model of ["other", "vendor/other", "vendor/m-x"]) {
      const refused = await call("messages", { model });
      expect(refused.status).toBe(403);
      expect(await errorIn(refused)).toMatchObject({
        type: "permission_error",
        message: expect.stringContaining(model),
      });
    }
    expect((await call("messages", { model: "m-x" })).status).toBe(200);
    expect(upstream.hits).toHaveLength(1);
  });

  it("may not leave the choice of the model to an upstream if it has a list of models", async () => {
    const { call, upstream } = await start({}, {}, { models: ["m-*"] });
    for (const path of ["messages", "chat/completions", "responses"])
      for (const model of [5, null]) {
        const refused = await call(path, { model: model as unknown as string });
        expect([path, model, refused.status]).toEqual([path, model, 403]);
      }
    expect(upstream.hits).toHaveLength(0);
  });

  it("may not call a model without a price if it has a budget and the proxy is configured so", async () => {
    const { call, upstream } = await start({ budgets: [{ usd: 1, period: "day" }] }, { unpriced: "refuse" });
    void upstream;
    expect((await call()).status).toBe(200);
    const other = await start(
      { budgets: [{ usd: 1, period: "day" }] },
      { unpriced: "refuse", upstreams: { vendor: { dialect: "chat-completions", base_url: upstream.url } } },
    );
    const refused = await other.call("chat/completions", { model: "unknown-model" });
    expect(refused.status).toBe(403);
    expect((await errorIn(refused))["message"]).toContain("unknown-model");
  });

  it("receives an error that a call larger than its limit can never fit", async () => {
    const { call } = await start({ tpm: 50 });
    const refused = await call();
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([429, "false"]);
    expect((await errorIn(refused))["message"]).toContain("never fit");
  });
});

describe("concurrency limits", () => {
  async function gated(limits: object, more: object = {}) {
    const world = await start(limits, more);
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    world.upstream.respond = async (hit, response) => {
      await opened;
      await success(hit, response);
    };
    return { ...world, open };
  }

  it("count calls in flight and are released when they end", async () => {
    const { call, upstream, open } = await gated({ concurrency: 2 });
    const running = [call(), call("messages")];
    await expect.poll(() => upstream.hits.length).toBe(2);
    const refused = await call();
    expect(refused.status).toBe(429);
    expect((await errorIn(refused))["message"]).toMatch(/concurrency/i);
    open();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await call()).status).toBe(200);
  });

  it("are released by clients that disconnect", async () => {
    const { proxy, upstream, call, open } = await gated({ concurrency: 1 });
    const controller = new AbortController();
    const left = fetch(`${proxy.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify(bodyFor("chat/completions", "m", 100, false)),
      signal: controller.signal,
    }).catch(() => {});
    await expect.poll(() => upstream.hits.length).toBe(1);
    controller.abort();
    await left;
    open();
    await expect.poll(async () => (await call()).status).toBe(200);
  });

  it("are waited for in order if there is a queue with room", async () => {
    const { call, upstream, open } = await gated({ concurrency: 1 }, { queue: { size: 2, timeout: 20 } });
    const running = [call("chat/completions", { max: 1 })];
    await expect.poll(() => upstream.hits.length).toBe(1);
    const waiting = (max: number) => {
      running.push(call("chat/completions", { max }));
      return new Promise((resolve) => setTimeout(resolve, 60));
    };
    await waiting(2);
    await waiting(3);
    expect((await call()).status).toBe(429);
    open();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(upstream.hits.map(({ body }) => JSON.parse(body.toString()).max_tokens)).toEqual([1, 2, 3]);
  });
});

describe("an upstream with limits", () => {
  const two = async (limits: object, more: object = {}) => {
    const [first, second] = [await startFakeUpstream(success), await startFakeUpstream(success)];
    closers.push(first.close, second.close);
    const vendor = { dialect: "chat-completions", prices };
    const world = await start(
      {},
      {
        upstreams: { a: { ...vendor, base_url: first.url, limits }, b: { ...vendor, base_url: second.url } },
        models: [
          { match: "alone", upstream: "a" },
          { match: "*", upstream: ["a", "b"] },
        ],
        ...more,
      },
    );
    return { ...world, first, second };
  };

  it("is skipped while it is full", async () => {
    const { call, first, second } = await two({ rpm: 2 });
    for (let count = 0; count < 5; count += 1) expect((await call()).status).toBe(200);
    expect([first.hits.length, second.hits.length]).toEqual([2, 3]);
  });

  it("is skipped while the tokens of a call do not fit", async () => {
    const { call, first, second } = await two({ tpm: 500 });
    for (let count = 0; count < 2; count += 1)
      expect((await call("chat/completions", { max: 480 })).status).toBe(200);
    expect([first.hits.length, second.hits.length]).toEqual([1, 1]);
  });

  it.each(ROUTES)("returns 429 on %s without another target", async (path) => {
    const { call, first } = await two({ rpm: 1 }, { models: [{ match: "*", upstream: "a" }] });
    expect((await call(path)).status).toBe(200);
    const refused = await call(path);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(first.hits).toHaveLength(1);
  });
});

describe("timeouts.total", () => {
  it.each(ROUTES)("ends a call on %s with 504 and releases its reservation", async (path) => {
    const world = await start({ concurrency: 1 }, { timeouts: { total: 0.3 } });
    world.upstream.respond = () => {};
    expect((await world.call(path)).status).toBe(504);
    world.upstream.respond = success;
    await expect.poll(() => world.proxy.records.length).toBe(1);
    expect(world.proxy.records[0]).toMatchObject({ status: 504, errorCode: "upstream_timeout" });
    expect((await world.call(path)).status).toBe(200);
  });
});
