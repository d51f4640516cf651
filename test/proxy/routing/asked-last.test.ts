import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../../support/start-proxy.ts";

const KEYS = ["sk-first-0123456789", "sk-second-0123456789"];
/** A URL at which nothing listens. Its port is that of an obsolete service, because a free port may be taken. */
const NOBODY = "http://127.0.0.1:1";
const closers: (() => Promise<unknown>)[] = [];
// The clock is fake, because two calls on a busy machine can take longer than a cooldown.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  vi.useRealTimers();
});

const respondWithChat = json({
  id: "x",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
});

async function startUpstream(respond = respondWithChat): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  return upstream;
}

async function startProxy(settings: object): Promise<TestProxy> {
  const proxy = await startTestProxy(settings);
  closers.push(proxy.close);
  return proxy;
}

const chat = (base_url: string, more: object = {}) => ({
  dialect: "chat-completions",
  base_url,
  models: ["m"],
  ...more,
});

/** The path of a call in each lane: in the upstream's dialect, and in another dialect. */
const lanes = ["/v1/chat/completions", "/v1/messages"];
function call({ url }: TestProxy, path = "/v1/chat/completions", headers: Record<string, string> = {}) {
  return fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }),
  });
}

const keysOf = ({ hits }: FakeUpstream) =>
  hits.map(({ headers }) => headers.authorization?.replace("Bearer ", ""));

describe("a target or key that has failed", () => {
  it.each(lanes)("is tried last by the next call: a rate-limited key, for %s", async (path) => {
    const upstream = await startUpstream((hit, response) => {
      const isLimited = hit.headers.authorization === `Bearer ${KEYS[0]}`;
      const refusal = json({ error: { message: "slow down" } }, 429, { "retry-after": "60" });
      (isLimited ? refusal : respondWithChat)(hit, response);
    });
    const proxy = await startProxy({ upstreams: { a: chat(upstream.url, { api_keys: KEYS }) } });
    for (const _ of [1, 2, 3, 4]) expect((await call(proxy, path)).status).toBe(200);
    expect(keysOf(upstream)).toEqual([KEYS[0], KEYS[1], KEYS[1], KEYS[1], KEYS[1]]);
    const page = await (await fetch(`${proxy.url}/`)).text();
    expect(page).toMatch(/key 1, m: tried last until [\d:]+ \(429\)/);
  });

  it("is tried first again after a reload of the configuration", async () => {
    const upstream = await startUpstream((hit, response) => {
      const isFirst = upstream.hits.length === 1;
      (isFirst ? json({ error: {} }, 401) : respondWithChat)(hit, response);
    });
    const settings = { upstreams: { a: chat(upstream.url, { api_keys: KEYS }) } };
    const proxy = await startProxy(settings);
    await call(proxy);
    await call(proxy);
    expect(keysOf(upstream)).toEqual([KEYS[0], KEYS[1], KEYS[1]]);
    proxy.reload(settings);
    await call(proxy);
    expect(keysOf(upstream).at(-1)).toBe(KEYS[0]);
  });

  it("is tried last by the next call: an unreachable upstream, listed before one of another dialect", async () => {
    const upstream = await startUpstream();
    const unreachable = { dialect: "messages", base_url: NOBODY };
    const proxy = await startProxy({
      upstreams: { down: unreachable, other: chat(upstream.url) },
      models: [{ match: "*", upstream: ["down", "other"] }],
    });
    for (const _ of [1, 2]) {
      const response = await call(proxy, "/v1/messages");
      expect([response.status, response.headers.get("x-sallyport-upstream")]).toEqual([200, "other"]);
    }
    await until(() => proxy.records.length === 2);
    expect(proxy.records.map(({ retries }) => retries)).toEqual([1, 0]);
    const page = await (await fetch(`${proxy.url}/`)).text();
    expect(page).toMatch(/tried last until [\d:]+ \(not reached\)/);
  });
});

it.each(["/v1beta/models/m:generateContent", "/v1/chat/completions"])(
  "the retry pause in a vendor's error body is respected, for %s",
  async (path) => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "90s" }];
    const refusal = { error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED", details } };
    const upstream = await startUpstream(json(refusal, 429));
    const google = { dialect: "generative-language", base_url: upstream.url, api_keys: KEYS };
    const proxy = await startProxy({
      upstreams: { google },
      models: [{ match: "*", upstream: "google" }],
    });
    const began = Date.now();
    const response = await fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        contents: [{ parts: [{ text: "hi" }] }],
        messages: [{ role: "user", content: "hi" }],
      }),
    });
    expect([response.status, upstream.hits.length]).toEqual([429, 2]);
    expect(await response.text()).toContain("slow down");
    const { cooldowns } = proxy.server.activity("");
    expect(cooldowns.map(({ key }) => key)).toEqual([1, 2]);
    for (const { until: end } of cooldowns) expect(end).toBeGreaterThanOrEqual(began + 90_000);
  },
);

describe("session affinity", () => {
  it.each(lanes)("keeps one key for %s, while calls without a session rotate", async (path) => {
    const upstream = await startUpstream();
    const proxy = await startProxy({ upstreams: { a: chat(upstream.url, { api_keys: KEYS }) } });
    for (const _ of [1, 2, 3]) await call(proxy, path, { "x-claude-code-session-id": "s1" });
    expect(new Set(keysOf(upstream))).toHaveProperty("size", 1);
    upstream.hits.length = 0;
    for (const _ of [1, 2, 3]) await call(proxy, path);
    expect(keysOf(upstream)).toEqual([KEYS[0], KEYS[1], KEYS[0]]);
  });

  it("keeps one of the upstreams that a rule weights", async () => {
    const [a, b] = [await startUpstream(), await startUpstream()];
    const proxy = await startProxy({
      upstreams: { a: chat(a.url, { weight: 1 }), b: chat(b.url, { weight: 1 }) },
      models: [{ match: "*", upstream: ["a", "b"] }],
    });
    for (let session = 0; session < 20; session += 1) {
      const responses = [1, 2, 3].map(() => call(proxy, undefined, { session_id: `s${session}` }));
      const served = (await Promise.all(responses)).map(({ headers }) => headers.get("x-sallyport-upstream"));
      expect(new Set(served)).toHaveProperty("size", 1);
    }
    expect(a.hits.length * b.hits.length).toBeGreaterThan(0);
  });
});
