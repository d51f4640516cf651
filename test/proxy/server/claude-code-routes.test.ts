import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy } from "../../support/start-proxy.ts";
import { WHOLE } from "../../support/vendor-responses.ts";

const KEY = "sk-claude-code-0123456789abcdef";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function setUp(settings: object = {}, dialect = "messages") {
  const upstream = await startFakeUpstream(json(WHOLE.messages));
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { main: { dialect, base_url: upstream.url, api_key: "sk-upstream-0123456789" } },
    models: [{ match: "*", upstream: "main", model: "claude-sonnet-4-5" }],
    ...settings,
  });
  closers.push(proxy.close);
  const send = (path: string, init: RequestInit = {}) => fetch(proxy.url + path, init);
  const message = (members: object, headers: Record<string, string> = {}) =>
    send("/v1/messages", {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...headers },
      body: JSON.stringify({
        model: "claude",
        max_tokens: 10,
        messages: [{ role: "user", content: "Hi" }],
        ...members,
      }),
    });
  return { proxy, upstream, send, message };
}

describe("the gateway protocol of Claude Code", () => {
  it("serves managed settings with an ETag, and 304 while they are the same", async () => {
    const managed = { permissions: { deny: ["WebFetch"] }, env: { A: "1" } };
    const { send, proxy } = await setUp({ managed_settings: managed, auth_mode: "strict", api_keys: [KEY] });
    expect((await send("/managed/settings")).status).toBe(401);
    const authorization = `Bearer ${KEY}`;
    const first = await send("/managed/settings", { headers: { authorization } });
    const body = (await first.json()) as { readonly checksum: string };
    expect(body).toMatchObject({ uuid: body.checksum, settings: managed });
    expect(first.headers.get("etag")).toBe(`"${body.checksum}"`);
    const headers = { authorization, "if-none-match": `"${body.checksum}"` };
    expect((await send("/managed/settings", { headers })).status).toBe(304);
    expect(proxy.internal).toEqual([]);
  });

  it("has no managed settings unless they are configured", async () => {
    const { send } = await setUp();
    expect((await send("/managed/settings")).status).toBe(404);
  });

  it("reports how much of a key's budgets is used", async () => {
    const limits = {
      budgets: [
        { usd: 10, period: "day" },
        { usd: 100, period: "week" },
      ],
    };
    const { send } = await setUp({
      auth_mode: "strict",
      api_keys: [{ name: "k", sha256: await sha256(KEY), limits }],
    });
    const usage = await send("/api/oauth/usage", { headers: { authorization: `Bearer ${KEY}` } });
    expect(await usage.json()).toMatchObject({
      five_hour: { utilization: 0 },
      seven_day: { utilization: 0 },
      limits: [
        { kind: "session", percent: 0, severity: "normal", is_active: true },
        { kind: "weekly_all", percent: 0 },
      ],
    });
    const { send: open } = await setUp();
    expect(await (await open("/api/oauth/usage")).json()).toEqual({
      five_hour: null,
      seven_day: null,
      limits: [],
    });
  });

  it("passes safeguards on, and names them where the upstream has none", async () => {
    const { message, upstream } = await setUp();
    const safeguards = { mode: "strict" };
    expect((await message({ safeguards })).status).toBe(200);
    expect(JSON.parse(String(upstream.hits[0]?.body))).toMatchObject({ safeguards });
    const other = await setUp({}, "chat-completions");
    const refused = await other.message({ safeguards });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("safeguards")]);
    expect(other.upstream.hits).toEqual([]);
  });

  it("says 501 not_supported, not to be repeated, for operations that it does not serve", async () => {
    const { send } = await setUp();
    const response = await send("/v1/messages/unknown", { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([501, "false"]);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "not_supported" } });
  });

  it("forwards the vendor's advice on retries, and its wording", async () => {
    const { message, upstream } = await setUp();
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    upstream.respond = json(error, 529, {
      "x-should-retry": "false",
      "anthropic-ratelimit-unified-status": "allowed_warning",
      "retry-after": "0",
    });
    const response = await message({});
    expect(response.status).toBe(529);
    expect(await response.json()).toEqual(error);
    const named = ["x-should-retry", "anthropic-ratelimit-unified-status", "retry-after"];
    expect(named.map((name) => response.headers.get(name))).toEqual(["false", "allowed_warning", "0"]);
  });

  it.each(["2023-06-01", "2026-10-21"])(
    "sends version %s to every upstream of a fallback",
    async (version) => {
      const second = await startFakeUpstream(json(WHOLE.messages));
      closers.push(second.close);
      const first = await startFakeUpstream(json({ type: "error", error: { type: "api_error" } }, 500));
      closers.push(first.close);
      const settings = { dialect: "messages", api_key: "sk-upstream-0123456789" };
      const { message } = await setUp({
        upstreams: {
          first: { ...settings, base_url: first.url },
          second: { ...settings, base_url: second.url },
        },
        models: [{ match: "*", upstream: ["first", "second"] }],
      });
      expect((await message({}, { "anthropic-version": version })).status).toBe(200);
      const versions = [...first.hits, ...second.hits].map(({ headers }) => headers["anthropic-version"]);
      expect([versions.length > 1, new Set(versions)]).toEqual([true, new Set([version])]);
    },
  );

  it("serves Anthropic's SDK, which sends its own version", async () => {
    const { proxy, upstream } = await setUp();
    const client = new Anthropic({ baseURL: proxy.url, apiKey: "any-key", maxRetries: 0 });
    const messages = [{ role: "user" as const, content: "Hi" }];
    const response = await client.messages.create({ model: "claude", max_tokens: 10, messages });
    expect(response.content).toMatchObject([{ type: "text" }]);
    expect(upstream.hits[0]?.headers["anthropic-version"]).toMatch(/^20\d\d-\d\d-\d\d$/);
  });
});

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(text));
  return Buffer.from(digest).toString("hex");
}
