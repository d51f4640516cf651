import { connect } from "node:net";
import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeList } from "../../../src/proxy/models/describe-models.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf, startTestProxy, type TestProxy } from "../../support/start-proxy.ts";

let upstream: FakeUpstream;
let proxy: TestProxy;
beforeAll(async () => {
  upstream = await startFakeUpstream(
    json({ data: [{ id: "listed", display_name: "Listed", created_at: "2026-01-02T03:04:05Z" }] }),
  );
  proxy = await startTestProxy({
    upstreams: { a: { dialect: "messages", base_url: upstream.url } },
    models: [{ match: "alias", upstream: "a", model: "listed" }],
    allowed_origins: ["https://app.example"],
  });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const call = (
  method: "GET" | "POST" | "PUT" | "HEAD" | "OPTIONS" | "PROPFIND",
  url: string,
  more: object = {},
) => proxy.server.app.inject({ method, url, headers: { host: "localhost" }, ...more });

describe("routes that call no model", () => {
  it("return health, readiness, greetings and metrics", async () => {
    expect((await call("GET", "/healthz")).json()).toEqual({ status: "ok" });
    expect((await call("GET", "/readyz")).json()).toMatchObject({ status: "ready" });
    expect((await call("HEAD", "/")).statusCode).toBe(200);
    expect((await call("HEAD", "/api/hello")).statusCode).toBe(200);
    const metrics = await call("GET", "/metrics");
    expect(metrics.headers["content-type"]).toContain("text/plain");
    expect(metrics.body).toContain("sallyport_active_calls");
  });

  it("show how to connect clients, even if the dashboard is not built", async () => {
    const page = await call("GET", "/");
    expect(page.headers["content-type"]).toContain("text/html");
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.body).toContain("http://localhost/v1");
    expect(page.body).toMatch(/<th scope="row"[^>]*>a<\/th><td[^>]*>messages<\/td>/);
    expect(page.body).not.toContain("<script");
  });

  it.each([
    ["GET", "/v1/chat/completions", 405, { error: { type: "invalid_request_error" } }],
    ["PUT", "/v1/messages", 405, { type: "error", error: { type: "invalid_request_error" } }],
    ["GET", "/nowhere", 404, { error: expect.any(String) }],
    ["GET", "/v1beta/models/absent", 404, { error: { status: "NOT_FOUND" } }],
    ["POST", "/v1beta/models/m:unknownMethod", 404, { error: { status: "NOT_FOUND" } }],
    ["POST", "/v1beta/models/..%2fx:generateContent", 400, { error: { status: "INVALID_ARGUMENT" } }],
    ["GET", "/v1/responses", 405, { error: { message: expect.any(String) } }],
    ["PUT", "/v1/responses", 405, { error: { message: "Method not allowed; use POST" } }],
    [
      "PROPFIND",
      "/v1/vector_stores",
      405,
      { error: { message: "Method not allowed; use GET, POST, PUT, PATCH, DELETE" } },
    ],
    ["PROPFIND", "/api/admin/v1/keys", 405, { error: { code: "method_not_allowed" } }],
  ] as const)("return errors in the route's dialect: %s %s is %i", async (method, url, status, body) => {
    const response = await call(method, url);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject(body);
    if (status === 405) expect(response.headers.allow).toContain("POST");
  });

  it.each([
    ["/v1/models/vendorx", { type: "error", error: { type: "invalid_request_error" } }],
    ["/v1/models/claude", { type: "error", error: { type: "invalid_request_error" } }],
    ["/v1/models/listed", { error: { code: "method_not_allowed" } }],
    ["/v1/models/a/listed", { error: { code: "method_not_allowed" } }],
  ])("send nothing to a model for POST %s, which names no method", async (url, body) => {
    const before = upstream.hits.length;
    const response = await call("POST", url, { payload: { contents: [{ parts: [{ text: "hi" }] }] } });
    expect([response.statusCode, response.headers.allow]).toEqual([405, "GET, HEAD"]);
    expect(response.json()).toMatchObject(body);
    expect(upstream.hits.length).toBe(before);
  });

  it.each([
    ["/v1/models/detect", "", "model is missing"],
    ["/v1/models/detect", "null", "the body must be an object, { … }, not null"],
    ["/v1/models/detect", '{"model":""}', "model must not be empty"],
    ["/internal/warmup", '{"upstream":7}', "upstream must be a string, not 7"],
    ["/internal/warmup", "{", "The body is not JSON"],
  ])("return a message about an invalid body: %s %s", async (url, payload, error) => {
    const response = await call("POST", url, { payload });
    expect([response.statusCode, response.json()]).toEqual([400, { error }]);
  });

  it("accept a body with a byte order mark", async () => {
    const payload = '\ufeff{"model":"alias"}';
    expect((await call("POST", "/v1/models/detect", { payload })).json()).toMatchObject({
      mapped_model: "listed",
    });
  });

  it("reject a body whose content type is not JSON", async () => {
    const payload = "model=x";
    const headers = { host: "localhost", "content-type": "application/x-www-form-urlencoded" };
    expect((await call("POST", "/v1/messages", { payload, headers })).statusCode).toBe(415);
  });

  it.each([
    ["/v1beta/nothing", {}, { error: { code: 404, status: "NOT_FOUND" } }],
    ["/v1alpha/models/m:generateContent", {}, { error: { code: 404, status: "NOT_FOUND" } }],
    ["/v1/unknown", {}, { error: { type: "invalid_request_error", code: "not_found" } }],
    [
      "/v1/unknown",
      { "anthropic-version": "2023-06-01" },
      { type: "error", error: { type: "not_found_error" } },
    ],
    ["/v1/models/%zz", {}, { error: { code: "model_not_found" } }],
    ["/v1beta/models/%E0%A4", {}, { error: { code: 404, status: "NOT_FOUND" } }],
    ["/%zz", {}, { error: expect.stringContaining("Unknown path") }],
  ])("94: return an error in the dialect of the unknown path %s", async (url, headers, body) => {
    const response = await call("GET", url, { headers: { host: "localhost", ...headers } });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject(body);
  });

  it("check admission for a path that cannot be decoded", async () => {
    expect((await call("GET", "/v1/%zz", { headers: { host: "evil.example" } })).statusCode).toBe(403);
  });

  it("accept the network names of this machine, and no other names, if other machines may call", async () => {
    const open = await startTestProxy({ allow_lan_access: true, api_keys: ["sk-of-this-network"] });
    const name = hostname().toLowerCase();
    const short = name.replace(/\..*$/, "");
    for (const host of [name, `${short}.local:8045`, "host.docker.internal", "192.168.1.9"])
      expect((await open.server.app.inject({ url: "/healthz", headers: { host } })).statusCode).toBe(200);
    for (const host of [`${short}.evil.example`, `other-${short}.local`])
      expect((await open.server.app.inject({ url: "/healthz", headers: { host } })).statusCode).toBe(403);
    await open.close();
  });

  it.each([
    [{ host: "127.0.0.2" }, ["127.0.0.2:8045", "localhost"], ["192.168.1.9", "127.0.0.3"]],
    [{ host: "192.168.1.5", auth_mode: "strict" }, ["192.168.1.5:8045", "localhost"], ["evil.example"]],
    [{ host: "MyBox", auth_mode: "strict" }, ["mybox", "MYBOX:8045"], ["evil.example", "other-mybox"]],
  ])("accept only the address on which they listen: %o", async (settings, own, foreign) => {
    const key = "sk-of-this-address";
    const there = await startTestProxy({ ...settings, api_keys: [key] });
    const status = async (headers: Record<string, string>) =>
      (await there.server.app.inject({ url: "/v1/models", headers })).statusCode;
    for (const host of own) expect(await status({ host, "x-api-key": key })).toBe(200);
    for (const host of foreign) expect(await status({ host })).toBe(403);
    await there.close();
  });

  it.each([
    ["/v1/v1/messages", "remove /v1 from the base URL"],
    ["/chat/completions", "add /v1 to the base URL"],
  ])("return a hint about the base URL to a client at %s", async (url, hint) => {
    expect((await call("POST", url)).body).toContain(hint);
  });

  it.each([
    ["an upgrade to another protocol as to a plain request", "GET /healthz", "Upgrade: h2c", 200],
    ["a WebSocket on another route as to a plain request", "GET /healthz", "Upgrade: websocket", 200],
    [
      "a WebSocket without the headers of its handshake with 400",
      "GET /v1/responses",
      "Upgrade: websocket",
      400,
    ],
    [
      "a WebSocket for another host with 403",
      "GET /v1/responses",
      "Upgrade: websocket\r\nHost: evil.example",
      403,
    ],
  ])("respond to %s", async (_, line, headers, status) => {
    const { port } = new URL(proxy.url);
    const host = headers.includes("Host") ? "" : "Host: localhost\r\n";
    const response = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(`${line} HTTP/1.1\r\n${host}Connection: Upgrade\r\n${headers}\r\n\r\n`);
      socket.once("data", (bytes) => {
        socket.destroy();
        resolve(bytes.toString());
      });
    });
    expect(Number(/^HTTP\/1\.1 (\d+) /.exec(response)?.[1])).toBe(status);
  });

  it("accept telemetry and discard it", async () => {
    const before = upstream.hits.length;
    for (const url of [
      "/v1/api/event_logging",
      "/v1/api/event_logging/batch",
      "/api/event_logging",
      "/api/event_logging/batch",
    ])
      expect((await call("POST", url, { payload: "not json" })).json()).toEqual({});
    expect(upstream.hits.length).toBe(before);
  });

  it("return the target of a model, and warm its upstream up", async () => {
    const headers = { host: "localhost", "content-type": "application/json" };
    const detect = (model: unknown) =>
      call("POST", "/v1/models/detect", { payload: JSON.stringify({ model }), headers });
    expect((await detect("alias")).json()).toMatchObject({
      mapped_model: "listed",
      upstream: "a",
      dialect: "messages",
      matched_rule: "alias",
    });
    expect((await detect("listed")).json()).toMatchObject({
      upstream: "a",
      matched_rule: null,
      type: "chat",
    });
    expect((await detect("absent")).statusCode).toBe(404);
    expect((await detect(7)).statusCode).toBe(400);
    const warm = (body: object) =>
      call("POST", "/internal/warmup", { payload: JSON.stringify(body), headers });
    expect((await warm({})).json()).toMatchObject({ ok: true, results: [{ upstream: "a", ok: true }] });
    expect((await warm({ upstream: "b" })).statusCode).toBe(404);
    expect((await warm({ model: "absent" })).json()).toEqual({ error: expect.stringContaining("absent") });
    expect((await warm({ model: "alias" })).json()).toMatchObject({ results: [{ upstream: "a" }] });
    const sent = JSON.parse(upstream.hits.at(-1)?.body.toString() ?? "");
    expect(sent).toMatchObject({ model: "listed", max_tokens: 1 });
  });

  it("warm a model up at the upstream that serves it, with the upstream's name of the output limit", async () => {
    const other = await startTestProxy({
      upstreams: {
        a: { dialect: "messages", base_url: upstream.url, models: ["claude"] },
        b: { dialect: "chat-completions", base_url: upstream.url, models: ["gpt-5.2"] },
      },
    });
    const response = await fetch(`${other.url}/internal/warmup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"model":"gpt-5.2"}',
    });
    expect(await response.json()).toMatchObject({ ok: true, results: [{ upstream: "b", ok: true }] });
    const sent = JSON.parse(upstream.hits.at(-1)?.body.toString() ?? "");
    expect([sent.max_completion_tokens, sent.max_tokens]).toEqual([1, undefined]);
    await other.close();
  });

  it("109: list models in the client's format, and return an error for models that are not listed", async () => {
    const ask = async (url: string, headers: Record<string, string> = {}) =>
      (await call("GET", url, { headers: { host: "localhost", ...headers } })).json();
    expect(await ask("/v1/models")).toMatchObject({
      object: "list",
      data: [{ id: "listed", created: 1767323045 }, { id: "alias" }],
    });
    expect(await ask("/v1/models", { "anthropic-version": "2023-06-01" })).toMatchObject({
      first_id: "listed",
      last_id: "alias",
    });
    expect(await ask("/v1/models", { "x-goog-api-key": "k" })).toMatchObject({
      models: [{ name: "models/listed" }, {}],
    });
    expect(await ask("/v1/models/listed")).toMatchObject({ id: "listed", object: "model" });
    expect(await ask("/v1beta/models/listed")).toMatchObject({
      name: "models/listed",
      displayName: "Listed",
    });
    expect(await ask("/v1/models/a/listed")).toMatchObject({ id: "a/listed", object: "model" });
    expect(await ask("/v1beta/models/a%2Flisted")).toMatchObject({ name: "models/a/listed" });
    expect(await ask("/v1/models/a/absent")).toMatchObject({ error: { code: "model_not_found" } });
    expect((await call("GET", "/v1/models/absent")).json()).toMatchObject({
      error: { code: "model_not_found" },
    });
  });

  it("accept requests from listed origins only", async () => {
    const from = (origin: string, method: "GET" | "OPTIONS" = "GET") =>
      call(method, "/v1/models", { headers: { host: "localhost", origin } });
    expect((await from("https://app.example")).headers["access-control-allow-origin"]).toBe(
      "https://app.example",
    );
    // The pass-through APIs also use PUT (uploads) and PATCH (Google's caches).
    const listed = await from("https://app.example", "OPTIONS");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
      expect(listed.headers["access-control-allow-methods"]?.toString().split(", ")).toContain(method);
    const preflight = await from("https://evil.example", "OPTIONS");
    expect([preflight.statusCode, preflight.headers["access-control-allow-origin"]]).toEqual([
      204,
      undefined,
    ]);
    expect((await from("https://evil.example")).statusCode).toBe(403);
    expect((await call("GET", "/healthz", { headers: { host: "evil.example" } })).statusCode).toBe(403);
  });
});

describe("109: pages of a model list", () => {
  const found = configOf({ upstreams: { a: { dialect: "messages", base_url: "http://x" } } }).upstreams.get(
    "a",
  );
  if (!found) throw new Error("no upstream");
  const models = ["m1", "m2", "m3", "m4", "m5"].map((id) => ({
    id,
    upstream: found,
    displayName: id,
    created: 0,
    ownedBy: "a",
    raw: undefined,
  }));
  const ids = (page: unknown) => (page as { data: { id: string }[] }).data.map(({ id }) => id);

  it("follow Anthropic's ids in both directions", () => {
    const page = describeList("messages", models, { limit: "2", after_id: "m2" });
    expect([ids(page), (page as { has_more: boolean }).has_more]).toEqual([["m3", "m4"], true]);
    const back = describeList("messages", models, { limit: "2", before_id: "m3" });
    expect([ids(back), (back as { has_more: boolean }).has_more]).toEqual([["m1", "m2"], false]);
    expect(() => describeList("messages", models, { limit: "none" })).toThrow("page size");
    expect(ids(describeList("messages", models, { limit: "2", after_id: "", before_id: "" }))).toEqual([
      "m1",
      "m2",
    ]);
    expect(ids(describeList("messages", models, { after_id: "m5" }))).toEqual([]);
  });

  it("are rejected if they begin at a model that is not listed, so that clients do not loop", () => {
    for (const query of [{ after_id: "gone" }, { before_id: "gone" }, { after_id: ["m1", "m2"] }])
      expect(() => describeList("messages", models, query)).toThrow(
        /^(?:after|before)_id: the list has no model/,
      );
  });

  it("follow Google's tokens to the end", () => {
    const names: string[] = [];
    let token: string | undefined;
    do {
      const page = describeList("generative-language", models, {
        pageSize: "2",
        ...(token ? { pageToken: token } : {}),
      });
      const { models: listed, nextPageToken } = page as {
        models: { name: string }[];
        nextPageToken?: string;
      };
      names.push(...listed.map(({ name }) => name));
      token = nextPageToken;
    } while (token);
    expect(names).toEqual(models.map(({ id }) => `models/${id}`));
    for (const pageToken of ["forged", "x", ["MQ", "MQ"]])
      expect(() => describeList("generative-language", models, { pageToken })).toThrow("page token");
  });

  it("accept an empty or zero page size in Google's format, and reject a negative one", () => {
    const all = describeList("generative-language", models, {});
    for (const pageSize of ["0", ""])
      expect(describeList("generative-language", models, { pageSize })).toEqual(all);
    expect(() => describeList("generative-language", models, { pageSize: "-1" })).toThrow("page size");
  });
});
