import { describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { configOf, until } from "../../support/start-proxy.ts";
import { EVENTS, WHOLE } from "../../support/vendor-responses.ts";
import type { Json } from "../translate/harness.ts";
import { post, stage, stream } from "./stage.ts";

const hi = { role: "user" as const, content: "Hi" };
const ask = { model: "m", max_tokens: 9, messages: [hi] };
const KEY = "sk-proxy-0123456789ab";

describe("complaints about other proxies: operation", () => {
  it("complaint 20: the next call tries an upstream in cooldown again if it is the only one", async () => {
    const { anthropic, upstream } = await stage("chat-completions");
    upstream.respond = json({ error: { message: "Slow down" } }, 429, { "retry-after": "561600" });
    await expect(anthropic.messages.create(ask)).rejects.toMatchObject({ status: 429 });
    upstream.respond = json(WHOLE["chat-completions"]);
    expect((await anthropic.messages.create(ask)).stop_reason).toBe("end_turn");
  });

  it("complaint 21: a call with a rejected key continues with the vendor's next key", async () => {
    const { anthropic, upstream } = await stage(
      "chat-completions",
      {},
      { api_key: undefined, api_keys: ["sk-spent-0123456789", "sk-fresh-0123456789"] },
    );
    upstream.respond = (hit, response) =>
      (hit.headers.authorization === "Bearer sk-spent-0123456789"
        ? json({ error: { code: "insufficient_quota", message: "Spent" } }, 429)
        : json(WHOLE["chat-completions"]))(hit, response);
    for (let call = 0; call < 3; call += 1)
      expect((await anthropic.messages.create(ask)).stop_reason).toBe("end_turn");
    const used = upstream.hits.map(({ headers }) => headers.authorization);
    expect(used.filter((key) => key === "Bearer sk-fresh-0123456789")).toHaveLength(3);
  });

  it("complaint 22: the usage of every call is logged and exported to Prometheus", async () => {
    const { anthropic, proxy, upstream } = await stage("chat-completions", {
      api_keys: [{ name: "laptop", sha256: "0".repeat(64) }],
    });
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } };
    const completion = JSON.parse(WHOLE["chat-completions"]) as Json;
    upstream.respond = json({ ...completion, usage });
    await anthropic.messages.create(ask);
    upstream.respond = stream(
      [
        EVENTS["chat-completions"][0],
        EVENTS["chat-completions"][1],
        `data: ${JSON.stringify({ id: "x", choices: [], usage })}\n\n`,
        EVENTS["chat-completions"][2],
      ].join(""),
    );
    await anthropic.messages.stream(ask).finalMessage();
    await until(() => proxy.records.length === 2);
    const counted = { input: { total: 100, cacheRead: 60 }, output: { total: 7 } };
    expect(proxy.records).toMatchObject([{ usage: counted }, { usage: counted }]);
    const metrics = await (await fetch(`${proxy.url}/metrics`)).text();
    expect(metrics).toMatch(/gen_ai_client_token_usage_total\{.*input.*\} 200/);
  });

  it("complaint 24: a client that disconnects cancels the upstream call at once", async () => {
    const { anthropic, openai, upstream } = await stage("chat-completions");
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(EVENTS["chat-completions"][0]);
    };
    const stream = await anthropic.messages.create({ ...ask, stream: true });
    for await (const event of stream) if (event.type === "content_block_delta") break;
    await upstream.hits[0]?.closed;
    for await (const event of await openai.responses.create({ model: "m", input: "Hi", stream: true }))
      if (event.type === "response.output_text.delta") break;
    await upstream.hits[1]?.closed;
    expect([upstream.open(), upstream.hits.length]).toEqual([0, 2]);
  });

  it("complaint 25: no path works without the key, and no client input is used as a path", async () => {
    const { proxy, upstream } = await stage("chat-completions", { auth_mode: "strict", api_keys: [KEY] });
    for (const path of [
      "/internal/warmup",
      "/internal/../v1/messages",
      "/v1/models/detect",
      "/api/config",
      "/",
      "/metrics",
      "/v1/messages%2f..",
      "/healthz",
    ])
      expect([path, (await post(proxy, path, ask)).status]).toEqual([path, 401]);
    for (const model of ["../../etc/passwd", "models/../../x", "%2e%2e%2fx"])
      await post(proxy, "/v1/messages", { ...ask, model }, { "x-api-key": KEY });
    expect([...new Set(upstream.hits.map(({ url }) => url))]).toEqual(["/v1/chat/completions"]);
  });

  it("complaint 26: pages of other origins receive nothing, and no response contains a key", async () => {
    const { proxy, upstream } = await stage("chat-completions");
    const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    for (const path of ["/v1/messages", "/v1/models/detect", "/internal/warmup"]) {
      const refused = await post(proxy, path, ask, foreign);
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    }
    expect(upstream.hits).toEqual([]);
    for (const path of ["/", "/metrics", "/v1/models", "/readyz"])
      expect(await (await fetch(`${proxy.url}${path}`)).text()).not.toContain("sk-upstream");
  });

  it("complaint 27: the dashboard is self-contained and may load nothing from other origins", async () => {
    const { proxy } = await stage("chat-completions");
    const page = await fetch(`${proxy.url}/`);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).not.toMatch(/<script|src=|https:\/\/|@import|url\(/);
  });

  it("complaint 28: a proxy that listens on the network requires a key and does not start without one", async () => {
    await expect(stage("chat-completions", { allow_lan_access: true })).rejects.toThrow(/needs a key/);
    for (const key of ["123456", "password", ""]) expect(() => configOf({ api_keys: [key] })).toThrow();
    const { proxy } = await stage("chat-completions", { allow_lan_access: true, api_keys: [KEY] });
    expect((await post(proxy, "/v1/messages", ask)).status).toBe(401);
    expect((await post(proxy, "/v1/messages", ask, { "x-api-key": KEY })).status).toBe(200);
  });

  it("complaint 29: a proxy that is its own upstream detects the loop after one round", async () => {
    const { proxy, upstream } = await stage("messages");
    upstream.respond = async (hit, response) => {
      const back = await fetch(`${proxy.url}/v1/messages`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-sallyport-via": String(hit.headers["x-sallyport-via"]),
        },
        body: hit.body,
      });
      json(await back.text(), back.status)(hit, response);
    };
    const response = await post(proxy, "/v1/messages", ask);
    expect([response.status, upstream.hits.length]).toEqual([508, 1]);
  });

  it("complaint 30: the proxy sends its owner's key and does not impersonate another client", async () => {
    const { proxy, upstream } = await stage("chat-completions");
    const client = {
      "user-agent": "claude-cli/2.1.37",
      "x-app": "cli",
      "anthropic-beta": "oauth-2025-04-20",
      authorization: "Bearer sk-ant-oat-client",
    };
    await post(proxy, "/v1/messages", ask, client);
    const headers = upstream.hits[0]?.headers ?? {};
    expect(headers.authorization).toBe("Bearer sk-upstream-0123456789");
    expect(JSON.stringify(headers)).not.toMatch(/claude|oauth|oat|"x-app"/);
  });
});
