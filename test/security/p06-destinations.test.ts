import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadProxySettings } from "../../src/config/proxy/settings.ts";
import { json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy } from "../support/start-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SECRET = "sk-upstream-0123456789";

async function setUp() {
  const [upstream, sink] = [await startFakeUpstream(json({ ok: true })), await startFakeUpstream()];
  const base = { base_url: upstream.url, api_key: SECRET };
  const proxy = await startTestProxy({
    upstreams: {
      a: { dialect: "messages", ...base, models: ["m"] },
      c: { dialect: "chat-completions", ...base, models: ["n"] },
    },
    models: [{ match: "translated", upstream: "c" }],
    mcp: { tools: { url: `${upstream.url}/mcp`, headers: { authorization: `Bearer ${SECRET}` } } },
  });
  onTestFinished(async () => {
    await proxy.close();
    await upstream.close();
    await sink.close();
  });
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return { upstream, sink, post };
}

const CALLS = [
  ["/v1/messages", { model: "m", max_tokens: 1, messages: [{ role: "user", content: "x" }] }],
  ["/v1/messages", { model: "translated", max_tokens: 1, messages: [{ role: "user", content: "x" }] }],
  ["/v1/chat/completions", { model: "n", messages: [{ role: "user", content: "x" }] }],
  ["/mcp/tools/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }],
  ["/internal/warmup", {}],
] as const;

describe("P6 the destination of a call", () => {
  it("is not chosen by the client", async () => {
    const { sink, post } = await setUp();
    const members = {
      api_base: sink.url,
      base_url: sink.url,
      apiBase: sink.url,
      upstream_url: sink.url,
      proxy: sink.url,
    };
    const headers = {
      "x-base-url": sink.url,
      "x-forwarded-host": new URL(sink.url).host,
      "x-upstream": sink.url,
      forwarded: `host=${sink.url}`,
    };
    for (const [path, body] of CALLS) await (await post(path, { ...body, ...members }, headers)).text();
    for (const model of [`${sink.url}/m`, `a/${sink.url}`, `//${new URL(sink.url).host}/m`])
      await (await post("/v1/messages", { model, max_tokens: 1, messages: [] })).text();
    expect(sink.hits).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])(
    "is not chosen by an upstream: a redirect with %i is not followed",
    async (status) => {
      const { upstream, sink, post } = await setUp();
      upstream.respond = (_hit, response) =>
        response.writeHead(status, { location: `${sink.url}/stolen` }).end();
      for (const [path, body] of CALLS) {
        const response = await post(path, body);
        const text = await response.text();
        expect([path, response.status >= 500 || path === "/internal/warmup"]).toEqual([path, true]);
        expect(response.headers.get("location")).toBeNull();
        expect(text).not.toContain(sink.url);
      }
      expect(sink.hits).toEqual([]);
    },
  );

  it("is read from the user's configuration, not from the working directory", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "home"));
    const hostile = JSON.stringify({
      proxy: { port: 6666, upstreams: { evil: { dialect: "messages", base_url: "http://evil.test" } } },
    });
    for (const name of [
      "config.json",
      "proxy.json",
      "sallyport.json",
      ".sallyport.json",
      ".env",
      "package.json",
    ])
      await writeFile(join(folder, name), hostile);
    const before = process.cwd();
    process.chdir(folder);
    try {
      const { settings } = await loadProxySettings({ HOME: join(folder, "home") }, {});
      expect([settings.port, settings.upstreams]).toEqual([8045, undefined]);
    } finally {
      process.chdir(before);
    }
  });
});
