import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { configOf, startTestProxy, type TestProxy } from "../support/start-proxy.ts";

const KEY = "sk-team-0123456789abcdef";
const closers: (() => Promise<unknown>)[] = [];
// Cooldowns last for half a minute.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  vi.useRealTimers();
});

const respond = json({
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
});

async function startUpstream(): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  return upstream;
}

async function startProxy(settings: object): Promise<TestProxy> {
  const proxy = await startTestProxy(settings);
  closers.push(proxy.close);
  return proxy;
}

function call({ url }: TestProxy, headers: Record<string, string> = {}) {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  });
}

describe("an upstream that fails repeatedly", () => {
  it("is tried last for 30 s, then probed by one call at a time, and tried first again after a success", async () => {
    const [bad, good] = [await startUpstream(), await startUpstream()];
    let release: (() => void) | undefined;
    bad.respond = json({ error: { message: "down" } }, 500);
    const chat = (base_url: string) => ({ dialect: "chat-completions", base_url });
    const proxy = await startProxy({
      upstreams: { bad: chat(bad.url), good: chat(good.url) },
      models: [{ match: "*", upstream: ["bad", "good"] }],
    });
    for (let count = 0; count < 8; count += 1) expect((await call(proxy)).status).toBe(200);
    expect([bad.hits.length, good.hits.length]).toEqual([5, 8]);
    expect(proxy.server.activity("").cooldowns).toMatchObject([{ upstream: "bad", status: 500 }]);
    vi.setSystemTime(Date.now() + 31_000);
    bad.respond = async (hit, response) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await json({ error: { message: "down" } }, 500)(hit, response);
    };
    const probing = Promise.all(Array.from({ length: 6 }, () => call(proxy)));
    while (good.hits.length < 13 || release === undefined)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(bad.hits.length).toBe(6);
    release();
    expect((await probing).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    bad.respond = respond;
    vi.setSystemTime(Date.now() + 31_000);
    await call(proxy);
    expect(bad.hits.length).toBe(6);
    vi.setSystemTime(Date.now() + 30_000);
    for (let count = 0; count < 3; count += 1) await call(proxy);
    expect(bad.hits.length).toBe(9);
    expect(proxy.server.activity("").cooldowns).toEqual([]);
  });

  it("is tried if there is no other", async () => {
    const bad = await startUpstream();
    bad.respond = json({ error: { message: "down" } }, 500);
    const proxy = await startProxy({
      upstreams: { bad: { dialect: "chat-completions", base_url: bad.url } },
    });
    for (let count = 0; count < 7; count += 1) expect((await call(proxy)).status).toBe(500);
    expect(bad.hits.length).toBe(7);
  });
});

describe("client headers of a team proxy", () => {
  const identity = {
    "x-auth-request-email": "alice@corp.example",
    "x-internal-token": "hunter2",
    "x-amzn-oidc-identity": "42",
    "x-litellm-tags": "a",
    "x-corp-user": "alice",
  };
  const known = {
    "openai-beta": "b1",
    "anthropic-beta": "b2",
    "x-goog-api-client": "c",
    "x-stainless-lang": "js",
    "idempotency-key": "i1",
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "user-agent": "agent/1",
    accept: "application/json",
  };

  it.each([
    ["with keys", { auth_mode: "strict" }],
    ["with LAN access", { allow_lan_access: true }],
  ])(
    "reach a vendor only if vendors define them, or the upstream forwards them: %s",
    async (_case, settings) => {
      const upstream = await startUpstream();
      const a = { dialect: "chat-completions", base_url: upstream.url, forward_headers: ["X-Corp-User"] };
      const proxy = await startProxy({ ...settings, api_keys: [KEY], upstreams: { a } });
      expect((await call(proxy, { ...identity, ...known, "x-api-key": KEY })).status).toBe(200);
      const { headers } = upstream.hits[0] ?? {};
      expect(headers).toMatchObject({ ...known, "x-corp-user": "alice" });
      const { "x-corp-user": _, ...hidden } = identity;
      for (const name of [...Object.keys(hidden), "x-api-key"]) expect(headers?.[name]).toBeUndefined();
    },
  );

  it("of a single user's proxy all reach it", async () => {
    const upstream = await startUpstream();
    const proxy = await startProxy({
      upstreams: { a: { dialect: "chat-completions", base_url: upstream.url } },
    });
    await call(proxy, identity);
    expect(upstream.hits[0]?.headers).toMatchObject(identity);
  });
});

it("a path in place of a host is rejected with a clear message", () => {
  expect(() => configOf({ host: "/tmp/x.sock" })).toThrow(
    'must be a host name or an IP address, not "/tmp/x.sock": Unix sockets are not supported',
  );
});

it("an operation that is not served is not sent to an upstream", async () => {
  const proxy = await startProxy({});
  const response = await fetch(`${proxy.url}/v1/unknown`, { method: "POST", body: "{}" });
  expect(await response.text()).toContain("the proxy does not serve this operation");
});
