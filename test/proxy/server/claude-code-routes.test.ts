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

async function setUp(settings: object = {}, dialect = "messages", members: object = {}) {
  const upstream = await startFakeUpstream(json(WHOLE.messages));
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { main: { dialect, base_url: upstream.url, api_key: "sk-upstream-0123456789", ...members } },
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
  it("serves managed settings with an ETag, and responds with 304 while they are unchanged", async () => {
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

  it("reports the used share of a key's budgets", async () => {
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

  it("reports a budget that is nearly used up in /api/oauth/usage and in the unified headers", async () => {
    const limits = {
      budgets: [
        { usd: 85, period: "week" },
        { usd: 1, period: "day" },
      ],
    };
    const { message, send, upstream } = await setUp(
      {
        auth_mode: "strict",
        api_keys: [{ name: "k", sha256: await sha256(KEY), limits }],
      },
      "messages",
      { prices: { "*": { input: 0, output: 850_000 } } },
    );
    const authorization = `Bearer ${KEY}`;
    const unified = ({ headers }: Response) =>
      ["status", "reset", "representative-claim"].map((name) =>
        headers.get(`anthropic-ratelimit-unified-${name}`),
      );
    const midnight = new Date().setUTCHours(24, 0, 0, 0) / 1000;
    const first = await message({ max_tokens: 1 }, { authorization });
    expect([first.status, unified(first)]).toEqual([200, ["allowed", String(midnight), "five_hour"]]);
    await first.text();
    const resets_at = new Date(midnight * 1000).toISOString();
    const readUsage = async () =>
      (await send("/api/oauth/usage", { headers: { authorization } })).json() as Promise<object>;
    await expect.poll(readUsage).toMatchObject({
      five_hour: { utilization: 85, resets_at },
      seven_day: { utilization: 1 },
      limits: [
        { kind: "weekly_all", severity: "normal" },
        { kind: "session", percent: 85, severity: "warning", resets_at },
      ],
    });
    const refused = await message({ max_tokens: 1 }, { authorization });
    expect([refused.status, unified(refused)]).toEqual([429, ["rejected", String(midnight), "five_hour"]]);
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(await refused.json()).toMatchObject({ type: "error", error: { type: "billing_error" } });
    expect(upstream.hits).toHaveLength(1);
  });

  it("replaces the vendor's unified headers only for a key with limits", async () => {
    const limits = { budgets: [{ usd: 5, period: "week" }] };
    for (const [own, expected] of [
      [{ limits }, ["allowed", "seven_day"]],
      [{}, ["allowed_warning", "theirs"]],
    ] as const) {
      const { message, upstream } = await setUp({
        auth_mode: "strict",
        api_keys: [{ name: "k", sha256: await sha256(KEY), ...own }],
      });
      upstream.respond = json(WHOLE.messages, 200, {
        "anthropic-ratelimit-unified-status": "allowed_warning",
        "anthropic-ratelimit-unified-representative-claim": "theirs",
      });
      const { headers } = await message({}, { authorization: `Bearer ${KEY}` });
      const names = ["status", "representative-claim"].map((name) => `anthropic-ratelimit-unified-${name}`);
      expect(names.map((name) => headers.get(name))).toEqual(expected);
    }
  });

  it("accepts telemetry only with a key, and does not forward it to the upstream", async () => {
    const { send, upstream } = await setUp({ auth_mode: "strict", api_keys: [KEY] });
    const paths = ["/v1/metrics", "/v1/logs", "/v1/traces", "/api/event_logging/batch"];
    for (const path of paths) {
      const post = (headers: Record<string, string>) =>
        send(path, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: '{"resourceMetrics":[]}',
        });
      expect([path, (await post({})).status]).toEqual([path, 401]);
      expect([path, (await post({ authorization: `Bearer ${KEY}` })).status]).toEqual([path, 200]);
    }
    expect(upstream.hits).toEqual([]);
  });

  it("lists models under the names in rules, each of which can be called", async () => {
    const { send, message, upstream } = await setUp({
      models: [
        { match: "claude-team-large", upstream: "main", model: "claude-opus-4-7" },
        { match: "claude-team-small", upstream: "main", model: "claude-haiku-4-5" },
      ],
    });
    const response = await send("/v1/models?limit=1000", { headers: { "anthropic-version": "2023-06-01" } });
    const { data, has_more } = (await response.json()) as {
      readonly data: readonly { readonly id: string; readonly type: string; readonly display_name: string }[];
      readonly has_more: boolean;
    };
    const listed = data.filter(({ id }) => id.startsWith("claude-team-"));
    expect([has_more, listed.map(({ id, type }) => [id, type])]).toEqual([
      false,
      [
        ["claude-team-large", "model"],
        ["claude-team-small", "model"],
      ],
    ]);
    for (const { id } of listed) expect((await message({ model: id })).status).toBe(200);
    expect(
      upstream.hits
        .filter(({ method }) => method === "POST")
        .map(({ body }) => JSON.parse(String(body)).model),
    ).toEqual(["claude-opus-4-7", "claude-haiku-4-5"]);
  });

  it.each(["chat-completions", "responses", "generative-language"])(
    "does not drop safeguards in a fallback to %s",
    async (dialect) => {
      const [first, second] = [await startFakeUpstream(json({ error: {} }, 500)), await startFakeUpstream()];
      closers.push(first.close, second.close);
      const { message } = await setUp({
        upstreams: {
          first: { dialect: "messages", base_url: first.url },
          second: { dialect, base_url: second.url },
        },
        models: [{ match: "*", upstream: ["first", "second"] }],
      });
      for (const version of ["2023-06-01", "2026-10-21"]) {
        const refused = await message({ safeguards: [{ type: "x" }] }, { "anthropic-version": version });
        expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("safeguards")]);
      }
      expect(first.hits.map(({ body }) => JSON.parse(String(body)).safeguards)).toContainEqual([
        { type: "x" },
      ]);
      expect(second.hits).toEqual([]);
    },
  );

  it("forwards safeguards, and rejects a call with them if the upstream's dialect has none", async () => {
    const { message, upstream } = await setUp();
    const safeguards = { mode: "strict" };
    expect((await message({ safeguards })).status).toBe(200);
    expect(JSON.parse(String(upstream.hits[0]?.body))).toMatchObject({ safeguards });
    const other = await setUp({}, "chat-completions");
    const refused = await other.message({ safeguards });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("safeguards")]);
    expect(other.upstream.hits).toEqual([]);
  });

  it("returns 501 not_supported with x-should-retry: false for operations that it does not serve", async () => {
    const { send, upstream } = await setUp();
    for (const [method, path] of [
      ["POST", "/v1/messages/unknown"],
      ["POST", "/v1/messages/unknown?beta=true"],
      ["GET", "/v1/messages/msg_1/feedback"],
    ] as const) {
      const response = await send(path, { method, body: method === "POST" ? "{}" : null });
      expect([response.status, response.headers.get("x-should-retry")]).toEqual([501, "false"]);
      expect(await response.json()).toMatchObject({ type: "error", error: { type: "not_supported" } });
    }
    expect(upstream.hits).toEqual([]);
  });

  it("forwards the vendor's x-should-retry and error message", async () => {
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
