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

describe("the watch that every proxy of a test is under", () => {
  it("lets one go that has kept its secrets", async () => {
    const proxy = await proxyBefore(json({ ok: true }));
    await ask(proxy, "m");
    await until(() => proxy.records.length === 1);
    await expect(proxy.close()).resolves.toBeUndefined();
  });

  it("sees a secret in an answer: what a vendor says in an answer that is none of an error is passed on", async () => {
    const proxy = await proxyBefore(json({ echoed: SECRET }));
    await ask(proxy, "m");
    await until(() => proxy.records.length === 1);
    await expect(proxy.close()).rejects.toThrow("A secret in an answer");
  });

  it("sees anything like a key in the log", async () => {
    const proxy = await proxyBefore(json({ ok: true }));
    await ask(proxy, "sk-typed-into-the-wrong-field");
    await until(() => proxy.records.length === 1);
    await expect(proxy.close()).rejects.toThrow("A secret in the log");
  });
});
