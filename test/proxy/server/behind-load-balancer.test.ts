import { afterEach, describe, expect, it } from "vitest";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { sendRaw, statusesIn } from "../../support/raw-http.ts";
import { configOf, startTestProxy, until } from "../../support/start-proxy.ts";

const KEY = "sk-balanced-0123456789abcdef";
const NAMES = ["llm.corp.example", "sallyport", "sallyport.default.svc.cluster.local"];
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(settings: object) {
  const upstream = await startFakeUpstream(
    json({ choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }] }),
  );
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { a: { dialect: "chat-completions", base_url: upstream.url, models: ["m"] } },
    ...settings,
  });
  closers.push(proxy.close);
  const port = Number(new URL(proxy.url).port);
  const statusOf = async (lines: readonly string[], body = "") =>
    statusesIn(await sendRaw(port, `${lines.join("\r\n")}\r\n\r\n${body}`))[0];
  const get = (path: string, ...headers: string[]) =>
    statusOf([`GET ${path} HTTP/1.1`, ...headers, "Connection: close"]);
  const body = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
  const call = (...headers: string[]) =>
    statusOf(
      [
        "POST /v1/chat/completions HTTP/1.1",
        ...headers,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "Connection: close",
      ],
      body,
    );
  return { proxy, upstream, get, call, statusOf };
}

describe("a Host name other than the machine's own", () => {
  it.each([
    ["with LAN access", { allow_lan_access: true }],
    ["in strict mode", { auth_mode: "strict" }],
  ])("is accepted with a valid key %s on any route, and rejected otherwise", async (_case, settings) => {
    const { proxy, upstream, get, call } = await start({ ...settings, api_keys: [KEY] });
    for (const name of NAMES) {
      expect(await call(`Host: ${name}`, `Authorization: Bearer ${KEY}`)).toBe(200);
      expect(await get("/v1/models", `Host: ${name}`, `x-api-key: ${KEY}`)).toBe(200);
      const before = upstream.hits.length;
      expect(await call(`Host: ${name}`)).toBe(403);
      expect(await call(`Host: ${name}`, "Authorization: Bearer sk-wrong-0123456789abcdef")).toBe(403);
      expect(upstream.hits.length).toBe(before);
    }
    expect(await call("Host: localhost", "Host: evil.test", `x-api-key: ${KEY}`)).toBe(403);
    expect(proxy.internal).toEqual([]);
  });

  it("is rejected with a key if none is required, and the error names the setting", async () => {
    const { proxy, call } = await start({ api_keys: [KEY] });
    expect(await call("Host: llm.corp.example", `x-api-key: ${KEY}`)).toBe(403);
    expect(proxy.refusals[0]?.reason).toBe(
      'Host header not allowed: "llm.corp.example". Use localhost, or add the name to proxy.hostnames or proxy.public_url.',
    );
  });

  it("is accepted without a key if hostnames or public_url lists it", async () => {
    const { get } = await start({
      hostnames: ["Sallyport", "*.svc.cluster.local"],
      public_url: "https://llm.corp.example/team/",
    });
    for (const name of [...NAMES, "LLM.corp.example:443"])
      expect(await get("/v1/models", `Host: ${name}`)).toBe(200);
    for (const name of [
      "evil.test",
      "sallyport.evil.test",
      "svc.cluster.local",
      "a.svc.cluster.local.evil.test",
    ])
      expect(await get("/v1/models", `Host: ${name}`)).toBe(403);
    const page = ["Host: llm.corp.example", "Sec-Fetch-Site: same-origin"];
    expect(await get("/v1/models", ...page, "Origin: https://llm.corp.example")).toBe(200);
    expect(await get("/v1/models", ...page, "Origin: https://evil.test")).toBe(403);
  });
});

describe("a trusted proxy", () => {
  it("provides the host, scheme and address of the client for the dashboard", async () => {
    const { proxy, get, call } = await start({
      public_url: "https://llm.example.com",
      trusted_proxies: ["127.0.0.0/8"],
    });
    const behind = [
      "Host: backend.internal",
      "X-Forwarded-Host: llm.example.com",
      "X-Forwarded-Proto: https",
    ];
    expect(await get("/healthz", ...behind)).toBe(200);
    expect(await get("/healthz", "Host: backend.internal", "X-Forwarded-Host: evil.test")).toBe(403);
    expect(await call(...behind, "X-Forwarded-For: 198.51.100.66, 203.0.113.9")).toBe(200);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]?.client).toBe("203.0.113.9");
  });

  it("is ignored if it is not configured", async () => {
    const { proxy, get, call } = await start({ public_url: "https://llm.example.com" });
    expect(await get("/healthz", "Host: backend.internal", "X-Forwarded-Host: llm.example.com")).toBe(403);
    expect(await call("Host: localhost", "X-Forwarded-For: 203.0.113.9")).toBe(200);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]?.client).toBe("127.0.0.1");
  });

  it("adds the path prefix that it has removed to the URLs of the page", async () => {
    const { proxy } = await start({ trusted_proxies: ["127.0.0.1"], hostnames: ["llm.example.com"] });
    const forwarded = { "x-forwarded-host": "llm.example.com", "x-forwarded-proto": "https" };
    const page = await fetch(proxy.url, { headers: { ...forwarded, "x-forwarded-prefix": "/llm" } });
    expect(await page.text()).toContain("OPENAI_BASE_URL=https://llm.example.com/llm/v1");
    const published = await start({ public_url: "https://llm.example.com/team/" });
    expect(await (await fetch(published.proxy.url)).text()).toContain(
      "ANTHROPIC_BASE_URL=https://llm.example.com/team<",
    );
  });
});

describe("health probes", () => {
  it("need no key except in strict mode, and no Host over HTTP/1.0", async () => {
    const { get, statusOf } = await start({ auth_mode: "all_except_health", api_keys: [KEY] });
    for (const path of ["/healthz", "/readyz"]) {
      expect(await get(path, "Host: localhost")).toBe(200);
      for (const method of ["GET", "HEAD"]) expect(await statusOf([`${method} ${path} HTTP/1.0`])).toBe(200);
    }
    expect(await statusOf(["GET /v1/models HTTP/1.0"])).toBe(403);
    expect(await statusOf(["POST /healthz HTTP/1.0"])).toBe(403);
    const strict = await start({ auth_mode: "strict", api_keys: [KEY] });
    expect(await strict.get("/readyz", "Host: localhost")).toBe(401);
    expect(await strict.statusOf(["GET /healthz HTTP/1.0"])).toBe(401);
  });

  it("report the number of running calls only with a key", async () => {
    const { proxy } = await start({ auth_mode: "all_except_health", api_keys: [KEY] });
    const ready = async (headers = {}) => (await fetch(`${proxy.url}/readyz`, { headers })).json();
    expect(await ready()).toEqual({ status: "ready" });
    expect(await ready({ "x-api-key": KEY })).toEqual({ status: "ready", active: 0 });
  });
});

it.each([
  ["trusted_proxies", "everybody"],
  ["trusted_proxies", "10.0.0.0/33"],
  ["hostnames", "*"],
  ["hostnames", "https://llm.example.com"],
])("the configuration rejects %s: %j", (name, value) => {
  expect(() => configOf({ [name]: [value] })).toThrow();
});
