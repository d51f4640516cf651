import { expect, it, onTestFinished } from "vitest";
import { startTestProxy } from "../../support/start-proxy.ts";

it("a proxy whose stop is announced returns 503 for /readyz, serves calls, and closes their connections", async () => {
  const proxy = await startTestProxy({});
  onTestFinished(() => proxy.close());
  expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200);
  proxy.server.announceStop();
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello" }] });
  const headers = { "content-type": "application/json" };
  const responses = await Promise.all([
    fetch(`${proxy.url}/readyz`),
    fetch(`${proxy.url}/healthz`),
    fetch(`${proxy.url}/v1/chat/completions`, { method: "POST", headers, body }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([503, 200, 200]);
  expect(responses.map((response) => response.headers.get("connection"))).toEqual([
    "close",
    "close",
    "close",
  ]);
  expect(responses[0]?.headers.get("retry-after")).toBe("1");
  expect(await responses[2]?.text()).toContain("Hello");
});
