import { createHash } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { realtimeTests } from "../../support/realtime.ts";
import { startTestProxy, until } from "../../support/start-proxy.ts";

const { closers, startVendor, open } = realtimeTests();

const KEY = "sk-of-the-proxy-0123456789";
const headers = { authorization: `Bearer ${KEY}` };
const PATH = "/v1/realtime?model=gpt-realtime";

function settingsFor(vendorUrl: string, members: object, upstream: object = {}) {
  const main = {
    dialect: "responses",
    base_url: vendorUrl,
    api_key: "sk-upstream-0123456789",
    models: ["gpt-realtime"],
  };
  return {
    auth_mode: "strict",
    api_keys: [{ name: "k", sha256: createHash("sha256").update(KEY).digest("hex"), ...members }],
    upstreams: { main: { ...main, ...upstream } },
  };
}

async function start(members: object, upstream: object = {}, others: object = {}) {
  const vendor = await startVendor();
  const settings = { ...settingsFor(vendor.url, members, upstream), ...others };
  const proxy = await startTestProxy(settings);
  closers.push(proxy.close);
  return { vendor, proxy, settings, url: `${proxy.url}${PATH}` };
}

describe("limits of relayed WebSockets", () => {
  it("count a WebSocket as a call in flight until it is closed", async () => {
    const { proxy, url, vendor } = await start({ limits: { concurrency: 1 } });
    const first = await open(url, { headers });
    expect(first.status).toBe(101);
    const second = await open(url, { headers });
    expect([second.status, second.rejection]).toEqual([
      429,
      {
        retryAfter: "1",
        body: { error: expect.objectContaining({ code: "rate_limit_exceeded", type: "rate_limit_error" }) },
      },
    ]);
    const call = await fetch(`${proxy.url}/v1/responses`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-realtime", input: "Hi" }),
    });
    expect(call.status).toBe(429);
    expect(vendor.opened).toHaveLength(1);
    first.client.close(1000);
    await until(() => proxy.records.some(({ status }) => status === 101));
    expect((await open(url, { headers })).status).toBe(101);
    expect(proxy.records[0]).toMatchObject({
      key: "k",
      route: "/v1/realtime",
      status: 429,
      errorCode: "rate_limited",
      cost: undefined,
    });
  });

  it("count a WebSocket as a request per minute", async () => {
    const { url } = await start({ limits: { rpm: 1 } });
    expect((await open(url, { headers })).status).toBe(101);
    const second = await open(url, { headers });
    expect([second.status, Number(second.rejection?.retryAfter) > 50]).toEqual([429, true]);
  });

  it("include those of the upstream, and release the key's when the upstream is full", async () => {
    const { url, proxy } = await start({ limits: { concurrency: 2 } }, { limits: { concurrency: 1 } });
    const first = await open(url, { headers });
    expect(first.status).toBe(101);
    for (let count = 0; count < 3; count += 1) expect((await open(url, { headers })).status).toBe(429);
    first.client.close(1000);
    await until(() => proxy.records.some(({ status }) => status === 101));
    expect((await open(url, { headers })).status).toBe(101);
  });

  it("leave the tokens of an upstream to other calls", async () => {
    const { url, proxy } = await start({}, { limits: { tpm: 500 } });
    const { client, received } = await open(url, { headers });
    for (let count = 0; count < 50; count += 1) client.send("hello");
    await until(() => received.length > 50);
    client.close(1000);
    await until(() => proxy.records.length > 0);
    expect(proxy.records[0]).toMatchObject({ status: 101, usage: { input: { total: 250 } } });
    const call = await fetch(`${proxy.url}/v1/responses`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-realtime", input: "Hi", max_output_tokens: 16 }),
    });
    expect(call.status).toBe(404);
  });

  it("let a WebSocket wait in the queue for its turn", async () => {
    const { url } = await start({ limits: { concurrency: 1 } }, {}, { queue: { size: 5, timeout: 30 } });
    const first = await open(url, { headers });
    const second = open(url, { headers });
    first.client.close(1000);
    expect((await second).status).toBe(101);
  });

  it("close a WebSocket whose key gets a budget", async () => {
    const { url, proxy, settings, vendor } = await start({});
    const { client } = await open(url, { headers });
    const closed = once(client, "close");
    proxy.reload({
      ...settings,
      api_keys: settingsFor(vendor.url, { limits: { budgets: [{ usd: 1, period: "day" }] } }).api_keys,
    });
    expect((await closed)[0]).toBe(1008);
  });
});

describe("relayed WebSockets without traffic", () => {
  it("are pinged on both sides", async () => {
    const { url, vendor } = await start({}, {}, { timeouts: { ping: 0.02 } });
    const { client } = await open(url, { headers });
    await once(client, "ping");
    await until(() => vendor.pings.length > 1);
  });
});

describe("rejected upgrades", () => {
  it("are counted and logged", async () => {
    const { url, proxy } = await start({});
    expect((await open(url)).status).toBe(401);
    expect(proxy.refusals).toMatchObject([{ status: 401, route: "/v1/realtime", errorCode: "unauthorized" }]);
  });

  it("are recorded as calls after admission, in the dialect of the route", async () => {
    const { proxy } = await start({ models: ["gpt-*"] });
    const live = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
    const rejected = await open(`${proxy.url}${live}?key=${KEY}`);
    expect([rejected.status, rejected.rejection?.body]).toMatchObject([
      403,
      { error: { code: 403, status: "PERMISSION_DENIED" } },
    ]);
    expect(proxy.records).toMatchObject([{ key: "k", status: 403, errorCode: "model_not_allowed" }]);
  });
});
