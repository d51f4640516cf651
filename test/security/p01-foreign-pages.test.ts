import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { FOREIGN_HOSTS, FOREIGN_PAGES } from "../support/foreign-requests.ts";
import { configOf, startTestProxy, type TestProxy } from "../support/start-proxy.ts";

/** The tests in a real browser are in test/e2e/foreign-pages.test.ts. */
const KEY = "sk-pages-0123456789abcdef";
const LISTED = "https://app.example";
const CALLS = [
  ["POST", "/v1/messages"],
  ["POST", "/v1/chat/completions"],
  ["POST", "/v1beta/models/m:generateContent"],
  ["POST", "/mcp/tools/mcp"],
  ["DELETE", "/mcp/tools/mcp"],
  ["POST", "/internal/warmup"],
  ["GET", "/v1/models"],
  ["GET", "/v1/responses/resp_1"],
  ["GET", "/metrics"],
  ["GET", "/internal/dashboard/events"],
  ["GET", "/healthz"],
  ["GET", "/none"],
] as const;

let upstream: FakeUpstream;
let proxy: TestProxy;
beforeAll(async () => {
  upstream = await startFakeUpstream(json({}));
  proxy = await startTestProxy({
    api_keys: [KEY],
    allowed_origins: [LISTED],
    upstreams: {
      a: { dialect: "messages", base_url: upstream.url },
      b: { dialect: "chat-completions", base_url: upstream.url },
    },
    mcp: { tools: { url: `${upstream.url}/mcp` } },
  });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const call = (method: string, url: string, headers: Record<string, string>) =>
  proxy.server.app.inject({
    method: method as "GET",
    url,
    headers,
    ...(method === "POST" ? { payload: '{"model":"m"}' } : {}),
  });

describe("P1 a web page calling a proxy that requires no key", () => {
  it("causes no cost, reads nothing and reaches no upstream", async () => {
    const wrong: string[] = [];
    for (const [method, url] of CALLS)
      for (const headers of [...FOREIGN_PAGES, ...FOREIGN_HOSTS.map((host) => ({ host }))])
        for (const type of ["application/json", "text/plain"]) {
          const { statusCode, headers: responseHeaders } = await call(method, url, {
            ...headers,
            "content-type": type,
          });
          if (statusCode !== 403 || Object.keys(responseHeaders).join().includes("access-control"))
            wrong.push(`${method} ${url} ${JSON.stringify(headers)}: ${statusCode}`);
        }
    expect(wrong).toEqual([]);
    expect(upstream.hits).toEqual([]);
  });

  it("gets no CORS permission from OPTIONS, so its browser sends no call", async () => {
    for (const [, url] of CALLS) {
      const { statusCode, headers } = await call("OPTIONS", url, {
        ...FOREIGN_PAGES[0],
        "access-control-request-method": "POST",
      });
      expect(statusCode).toBe(204);
      expect(Object.keys(headers).join()).not.toContain("access-control");
    }
    expect((await call("OPTIONS", "/v1/messages", { host: "evil.test" })).statusCode).toBe(403);
    expect(upstream.hits).toEqual([]);
  });

  it("may call if its origin is listed; similar origins may not", async () => {
    const own = { host: "localhost:8045", "sec-fetch-site": "cross-site" };
    const allowed = await call("GET", "/v1/models", { ...own, origin: LISTED });
    expect([allowed.statusCode, allowed.headers["access-control-allow-origin"]]).toEqual([200, LISTED]);
    for (const origin of [
      `${LISTED}.evil.test`,
      `${LISTED}:444`,
      "http://app.example",
      "https://APP.example.",
      "null",
      `${LISTED}/`,
    ]) {
      const { statusCode, headers } = await call("GET", "/v1/models", { ...own, origin });
      expect([origin, statusCode, headers["access-control-allow-origin"]]).toEqual([origin, 403, undefined]);
    }
  });

  it("may call with a key", async () => {
    const { statusCode } = await call("GET", "/healthz", {
      host: "localhost",
      origin: "http://evil.test",
      "x-api-key": KEY,
    });
    expect(statusCode).toBe(200);
  });
});

describe("P1 a listed origin with a scheme of its own, such as an extension", () => {
  it("allows that origin only, not every page whose origin is null", () => {
    const { allowedOrigins } = configOf({
      allowed_origins: ["chrome-extension://abcdef/", "vscode-webview://x"],
    });
    expect(allowedOrigins).toEqual(["chrome-extension://abcdef", "vscode-webview://x"]);
  });

  it.each(["file:///home/me/page.html", "data:text/html,x", "about:blank"])(
    "is refused where it is none: %s",
    (origin) => {
      expect(() => configOf({ allowed_origins: [origin] })).toThrow(/allowed_origins/);
    },
  );
});
