import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";

const SECRET = "sk-upstream-0123456789";
let upstream: FakeUpstream;
afterEach(() => upstream.close());

async function proxyBefore(respond: Parameters<typeof startFakeUpstream>[0]): Promise<TestProxy> {
  upstream = await startFakeUpstream(respond);
  return startTestProxy({
    upstreams: { main: { dialect: "messages", base_url: upstream.url, api_key: SECRET } },
  });
}

async function ask({ url }: TestProxy, model: string): Promise<void> {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({ model }),
    headers: { "content-type": "application/json" },
  });
  await response.text();
}

describe("the leak check of test proxies", () => {
  it("accepts a proxy that has leaked no secret", async () => {
    const proxy = await proxyBefore(json({ ok: true }));
    await ask(proxy, "m");
    await until(() => proxy.records.length === 1);
    await expect(proxy.close()).resolves.toBeUndefined();
  });

  it("detects a secret in a response, but not in a vendor's successful response", async () => {
    const proxy = await proxyBefore(json({ echoed: SECRET }));
    await ask(proxy, "m");
    await until(() => proxy.records.length === 1);
    await expect(proxy.close()).rejects.toThrow("A secret in an answer");
  });

  it("detects any text with the format of a key in the log", async () => {
    const proxy = await proxyBefore(json({ ok: true }));
    await ask(proxy, "sk-typed-into-the-wrong-field");
    await until(() => proxy.records.length === 1);
    await expect(proxy.close()).rejects.toThrow("A secret in the log");
  });
});
