import { expect, it } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";

const MESSAGE = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
});

it.each([
  ["a list of models", "GET", "/v1/models", undefined],
  ["a warm-up", "POST", "/internal/warmup", {}],
  ["a warm-up with a call", "POST", "/internal/warmup", { upstream: "main", model: "m" }],
  [
    "a translated call",
    "POST",
    "/v1/chat/completions",
    { model: "main/m", messages: [{ role: "user", content: "hi" }] },
  ],
])(
  "%s sends each header once, with the configured value in place of the default",
  async (_what, method, path, body) => {
    const upstream = await startFakeUpstream();
    upstream.respond = json(MESSAGE);
    const headers = { "anthropic-version": "2099-01-01", "x-api-key": "sk-of-the-gateway", accept: "text/x" };
    const main = { dialect: "messages", base_url: upstream.url, api_key: "sk-of-the-vendor", headers };
    const proxy = await startTestProxy({ upstreams: { main } });
    await fetch(proxy.url + path, {
      method,
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const raw = upstream.hits[0]?.rawHeaders ?? [];
    const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names).toEqual([...new Set(names)]);
    expect(upstream.hits[0]?.headers).toMatchObject(headers);
    await proxy.close();
    await upstream.close();
  },
);
