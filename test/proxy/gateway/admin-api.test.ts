import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/config/proxy/resolve-keys.ts";
import { adminRoutes } from "../../../src/proxy/gateway/admin-routes.ts";
import { ENGINES, testDatabases } from "../../support/databases.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { type AdminBody, type GatewayProxy, startGatewayProxy } from "../../support/gateway-proxy.ts";

const databases = testDatabases();
const ID = "key_000000000000000000000000";
const budgets = [{ usd: 20, period: "day" }];

/** Sends a request and checks its response against the schema that the OpenAPI document is made from. */
async function ok(proxy: GatewayProxy, method: string, path: string, body?: unknown) {
  const response = await proxy.request(method, path, body);
  const route = adminRoutes.find(
    (each) => each.method === method && patternOf(each.path).test(path.split("?")[0] ?? ""),
  );
  expect([path, response.status, response.text]).toEqual([path, route?.status, response.text]);
  route?.response.parse(response.body);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return response.body;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}

/** Returns a path of the route with ids that do not exist. */
const absent = (path: string) => path.replace("{id}", ID).replace("{name}", "none");

describe.each(ENGINES)("the admin API on %s", (engine) => {
  const start = async (settings?: object, environment?: Record<string, string>) =>
    startGatewayProxy(await databases.locate(engine), settings, environment);

  it("creates, shows, changes, rotates and revokes keys", async () => {
    const proxy = await start();
    await ok(proxy, "POST", "/teams", { name: "search" });
    const wanted = { name: "alice", team: "search", models: ["m-*"], tags: { a: "b" }, limits: { rpm: 60 } };
    const { key, secret } = await ok(proxy, "POST", "/keys", {
      ...wanted,
      expires_at: "2030-01-01T00:00:00Z",
    });
    expect(key).toMatchObject({ ...wanted, role: "user", expires_at: "2030-01-01T00:00:00.000Z" });
    const path = `/keys/${key.id}`;
    expect((await ok(proxy, "GET", path)).key).toEqual(key);
    const { key: changed } = await ok(proxy, "PATCH", path, { limits: { budgets, rpm: null }, team: null });
    expect(changed).toEqual({ ...key, limits: { budgets }, team: null });
    const limits = await ok(proxy, "GET", `/limits/${key.id}`);
    expect(limits).toMatchObject({ rpm: null, budgets: [{ ...budgets[0], remaining: 20 }] });
    const rotated = await ok(proxy, "POST", `${path}/rotate`, { grace: "1h" });
    const call = async (each: string) =>
      (await fetch(`${proxy.url}/v1/models`, { headers: { "x-api-key": each } })).status;
    expect([await call(secret), await call(rotated.secret)]).toEqual([200, 200]);
    const again = await ok(proxy, "POST", `${path}/rotate`, {});
    expect([await call(rotated.secret), await call(again.secret)]).toEqual([401, 200]);
    expect((await ok(proxy, "DELETE", path)).key.revoked_at).toMatch(/Z$/);
    expect([await call(secret), await call(again.secret)]).toEqual([401, 401]);
    expect((await proxy.request("POST", `${path}/rotate`, {})).status).toBe(409);
    const { entries } = await ok(proxy, "GET", "/audit");
    expect(entries.map((entry: { action: string; actor: string }) => [entry.action, entry.actor])).toEqual([
      ["key.revoke", "admin"],
      ["key.rotate", "admin"],
      ["key.rotate", "admin"],
      ["key.update", "admin"],
      ["key.create", "admin"],
      ["team.create", "admin"],
      ["key.create", "first start"],
    ]);
    expect(entries[0]?.address).toBe("127.0.0.1");
  });

  it("creates, shows, changes and deletes teams", async () => {
    const proxy = await start();
    const name = "search & find/1";
    const path = `/teams/${encodeURIComponent(name)}`;
    expect((await proxy.request("POST", "/teams", { name })).status).toBe(400);
    const plain = "search/1 a+b";
    const at = `/teams/${encodeURIComponent(plain)}`;
    const { team } = await ok(proxy, "POST", "/teams", { name: plain, limits: { rpm: 5, tpm: 9 } });
    expect((await ok(proxy, "GET", at)).team).toEqual(team);
    const { team: changed } = await ok(proxy, "PATCH", at, { limits: { tpm: null, concurrency: 2 } });
    expect(changed.limits).toEqual({ rpm: 5, concurrency: 2 });
    const { key } = await ok(proxy, "POST", "/keys", { name: "alice", team: plain });
    expect((await proxy.request("DELETE", at)).body).toEqual({
      error: {
        code: "conflict",
        message: `Cannot delete the team ${plain}: it has the keys alice`,
        hint: expect.stringContaining("Remove each key from the team"),
      },
    });
    await ok(proxy, "PATCH", `/keys/${key.id}`, { team: null });
    expect(await ok(proxy, "DELETE", at)).toEqual({ deleted: plain });
    for (const each of [at, path]) expect((await proxy.request("GET", each)).status).toBe(404);
  });

  it("reports calls, usage and health", async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 40, total_tokens: 45 };
    const message = { role: "assistant", content: "hi" };
    const success = json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });
    const upstream = await startFakeUpstream(success);
    const prices = { "*": { input: 0, output: 10_000 } };
    const vendor = { dialect: "chat-completions", base_url: upstream.url, prices };
    const proxy = await start({ upstreams: { vendor }, models: [{ match: "*", upstream: "vendor" }] });
    const { key, secret } = await ok(proxy, "POST", "/keys", { name: "alice", tags: { floor: "4" } });
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
    const ids: (string | null)[] = [];
    for (let count = 0; count < 3; count += 1) {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const response = await fetch(`${proxy.url}/v1/chat/completions`, { method: "POST", headers, body });
      await response.text();
      ids.unshift(response.headers.get("x-sallyport-request-id"));
    }
    await upstream.close();
    await expect.poll(async () => (await ok(proxy, "GET", "/calls")).calls).toHaveLength(3);
    const calls = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await ok(proxy, "GET", `/calls?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      calls.push(...page.calls);
      cursor = page.next_cursor;
    }
    expect(calls.map(({ id }) => id)).toEqual(ids);
    expect(calls[0]).toMatchObject({ key: "alice", key_id: key.id, upstream: "vendor", cost_usd: 0.4 });
    expect((await ok(proxy, "GET", `/calls/${ids[0]}`)).call).toMatchObject({ id: ids[0], status: 200 });
    expect((await ok(proxy, "GET", "/calls?key=nobody")).calls).toEqual([]);
    const group = "day,key,team,model,upstream,tag:floor";
    const { rows } = await ok(proxy, "GET", `/usage?group_by=${group}`);
    const sums = { key: "alice", team: null, "tag:floor": "4", calls: 3, output_tokens: 120, cost_usd: 1.2 };
    expect(rows).toMatchObject([sums]);
    const csv = await proxy.request("GET", "/usage?group_by=key&format=csv");
    expect([csv.status, csv.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(csv.text.split("\r\n")[1]).toMatch(/^alice,3,0,15,/);
    const health = await ok(proxy, "GET", "/health");
    expect(health).toMatchObject({ database: { engine, status: "ok" }, upstreams: [{ name: "vendor" }] });
    expect(health.replicas).toHaveLength(1);
  });

  it("returns the settings in force with their sources, and no secret", async () => {
    const upstreams = {
      vendor: {
        dialect: "messages",
        base_url: "http://localhost:1/v1?key=sk-url-0123456789",
        api_key: "sk-vendor-0123456789",
      },
    };
    const proxy = await start({ upstreams, timeouts: { total: 77 }, redis_failure: "local" });
    const { settings } = await ok(proxy, "GET", "/settings");
    const { text } = await proxy.request("GET", "/settings");
    expect(settings).toContainEqual({ key: "timeouts.total", value: 77, source: "default" });
    expect(settings).toContainEqual(
      expect.objectContaining({ key: "upstreams.vendor.api_key", value: "[redacted]" }),
    );
    expect(text).not.toMatch(/0123456789/);
  });

  it("keeps bodies as each key says, and names the keys", async () => {
    const upstream = await startFakeUpstream(json({ choices: [] }));
    const vendor = { dialect: "chat-completions", base_url: upstream.url };
    const keys = [
      { name: "in file", sha256: sha256("sk-in-file-0123456789").toString("hex"), capture: "errors" },
    ];
    const proxy = await start({
      database: "sqlite",
      upstreams: { vendor },
      models: [{ match: "*", upstream: "vendor" }],
      api_keys: keys,
    });
    const { key, secret } = await ok(proxy, "POST", "/keys", { name: "alice", capture: "all" });
    expect((await ok(proxy, "GET", "/health")).capture).toEqual({ calls: "off", keys: ["in file", "alice"] });
    const call = async () => {
      const response = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
      });
      await response.text();
      return response.headers.get("x-sallyport-request-id");
    };
    const [kept, owners] = [await call(), { authorization: `Bearer ${secret}` }];
    await expect
      .poll(async () => (await proxy.request("GET", `/calls/${kept}`)).body.call?.captured?.request?.text)
      .toContain('"hi"');
    // Only admins see bodies.
    const own = await fetch(`${proxy.url}/api/me/v1/calls/${kept}`, { headers: owners });
    expect(await own.json()).toMatchObject({ call: { id: kept, captured: null } });
    await ok(proxy, "PATCH", `/keys/${key.id}`, { capture: null });
    expect((await ok(proxy, "GET", "/health")).capture).toEqual({ calls: "off", keys: ["in file"] });
    const other = await call();
    await expect.poll(async () => (await ok(proxy, "GET", "/calls")).calls).toHaveLength(2);
    expect((await ok(proxy, "GET", `/calls/${other}`)).call.captured).toBeNull();
    await upstream.close();
  });

  it("counts calls of the configuration's keys against their team", async () => {
    const upstream = await startFakeUpstream(json({ choices: [] }));
    const vendor = { dialect: "chat-completions", base_url: upstream.url };
    const secret = "sk-in-file-0123456789";
    const api_keys = [
      { name: "in file", sha256: sha256(secret).toString("hex"), team: "search", limits: { rpm: 50 } },
    ];
    const proxy = await start({
      upstreams: { vendor },
      models: [{ match: "*", upstream: "vendor" }],
      api_keys,
    });
    const call = async () => {
      const response = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "m", messages: [] }),
      });
      return [response.status, await response.text()];
    };
    expect(await call()).toEqual([200, expect.any(String)]);
    await ok(proxy, "POST", "/teams", { name: "search", limits: { rpm: 2 } });
    for (const status of [200, 200]) expect(await call()).toEqual([status, expect.any(String)]);
    expect(await call()).toEqual([429, expect.stringContaining("search")]);
    expect((await proxy.request("DELETE", "/teams/search")).body.error).toMatchObject({
      code: "conflict",
      message: "Cannot delete the team search: it has the keys in file of the configuration file",
    });
    await ok(proxy, "PATCH", "/teams/search", { limits: { rpm: null } });
    expect(await call()).toEqual([200, expect.any(String)]);
    await upstream.close();
  });

  it("pages through keys of the configuration and of the database", async () => {
    const environment = { TEST_CONFIG_KEY: "sk-config-0123456789abcdef" };
    const proxy = await start({ api_keys: [{ name: "file", key_env: "TEST_CONFIG_KEY" }] }, environment);
    for (let index = 0; index < 6; index += 1) await ok(proxy, "POST", "/keys", { name: `key ${index}` });
    const names = [];
    for (let path: string | undefined = "/keys?limit=3"; path !== undefined; ) {
      const page: AdminBody = await ok(proxy, "GET", path);
      expect(page.keys.length).toBeLessThanOrEqual(3);
      names.push(...page.keys.map(({ name }) => name));
      path = page.next_cursor === null ? undefined : `/keys?limit=3&cursor=${page.next_cursor}`;
    }
    expect(names.toSorted()).toEqual(["admin", "file", ...[0, 1, 2, 3, 4, 5].map((n) => `key ${n}`)]);
    const { key } = await ok(proxy, "GET", "/keys/config:file");
    expect(key.source).toBe("config");
    for (const [method, path] of [
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/rotate"],
    ] as const)
      expect((await proxy.request(method, `/keys/config:file${path}`, {})).status).toBe(409);
    expect((await proxy.request("GET", "/keys", undefined, environment.TEST_CONFIG_KEY)).status).toBe(403);
  });

  it("requires an admin key on every route, whatever auth_mode is", async () => {
    const proxy = await start({ auth_mode: "off" });
    const secretOf = async (name: string, role: string): Promise<string> =>
      (await ok(proxy, "POST", "/keys", { name, role })).secret;
    const [user, metrics, admin] = [
      await secretOf("user", "user"),
      await secretOf("metrics", "metrics"),
      await secretOf("other admin", "admin"),
    ];
    const paths = [
      ...adminRoutes,
      { method: "GET", path: "/openapi.json" },
      { method: "GET", path: "/none" },
    ];
    for (const { method, path } of paths) {
      const status = async (key: string) =>
        (await proxy.request(method, absent(path), method === "GET" ? undefined : {}, key)).status;
      const statuses = [
        await status(""),
        await status(`${admin}x`),
        await status(user),
        await status(metrics),
      ];
      expect([method, path, ...statuses]).toEqual([method, path, 401, 401, 403, 403]);
      expect([401, 403]).not.toContain(await status(admin));
    }
    expect(proxy.internal).toEqual([]);
  });

  it("rejects unknown members, values, queries, paths and methods", async () => {
    const proxy = await start();
    const { key } = await ok(proxy, "POST", "/keys", { name: "alice" });
    await ok(proxy, "POST", "/teams", { name: "search" });
    const wrong: [method: string, path: string, body?: unknown][] = [
      ["POST", "/keys", { name: "b", admin: true }],
      ["POST", "/keys", { name: "" }],
      ["POST", "/keys", { name: "a\u0000b" }],
      ["POST", "/keys", { name: "b", limits: { rpm: -1 } }],
      ["POST", "/keys", { name: "b", limits: { budgets: [{ usd: 1, period: "year" }] } }],
      ["POST", "/keys", { name: "b", expires_at: "tomorrow" }],
      ["POST", "/keys", { name: "b", expires_at: "2020-01-01T00:00:00Z" }],
      ["POST", "/keys", { name: "b", role: "root" }],
      ["POST", "/keys", "{"],
      ["POST", "/keys", "[]"],
      ["POST", "/keys", undefined],
      ["PATCH", `/keys/${key.id}`, { id: "key_1" }],
      ["PATCH", `/keys/${key.id}`, { limits: { rps: 1 } }],
      ["POST", `/keys/${key.id}/rotate`, { grace: "soon" }],
      ["POST", `/keys/${key.id}/rotate`, { grace: "8640000s" }],
      ["POST", "/teams", { name: "b", keys: [] }],
      ["PATCH", "/teams/search", { name: "find" }],
      ["GET", "/keys?limit=0"],
      ["GET", "/keys?limit=1001"],
      ["GET", "/keys?page=2"],
      ["GET", "/keys?cursor=x"],
      ["GET", "/teams?cursor=-1"],
      ["GET", "/audit?cursor=x"],
      ["GET", "/calls?cursor=x"],
      ["GET", "/calls?from=yesterday"],
      ["GET", "/calls?model=a%00b"],
      ["GET", "/calls?user=alice"],
      ["GET", "/usage?group_by=century"],
      ["GET", "/usage?group_by=tag:"],
      ["GET", "/usage?format=xml"],
    ];
    for (const [method, path, body] of wrong) {
      const { status, body: received } = await proxy.request(method, path, body);
      const error = { code: "validation", message: expect.any(String) };
      expect([method, path, body, status, received]).toEqual([method, path, body, 400, { error }]);
    }
    for (const { method, path } of adminRoutes.filter((each) => each.path.includes("{")))
      for (const id of [ID, "none", "%00", "a%00b", "%f0"]) {
        const at = path.replace(/\{\w+\}/, id);
        const { status } = await proxy.request(method, at, method === "GET" ? undefined : {});
        expect([method, at, status]).toEqual([method, at, 404]);
      }
    for (const path of ["/keys", "/audit", "/health", `/keys/${key.id}`])
      expect((await proxy.request("PUT", path, {})).status).toBe(405);
    const refused = await proxy.request("PUT", "/keys", {});
    expect(refused.headers.get("allow")?.split(", ").toSorted()).toEqual(["GET", "HEAD", "POST"]);
    expect((await proxy.request("POST", "/keys", { name: "alice" })).status).toBe(409);
    expect((await proxy.request("POST", "/teams", { name: "search" })).status).toBe(409);
    expect((await proxy.request("POST", "/keys", { name: "b", team: "none" })).status).toBe(404);
    expect(proxy.internal).toEqual([]);
  });

  it("documents its routes, and only those", async () => {
    const proxy = await start();
    const { body, status } = await proxy.request("GET", "/openapi.json");
    expect([status, body.openapi]).toEqual([200, "3.1.0"]);
    const documented = Object.entries<object>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.toSorted()).toEqual(
      adminRoutes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    const ids = Object.values(body.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(ids).toContain("postKeysIdRotate");
    expect(new Set(ids).size).toBe(adminRoutes.length);
    const { key } = await ok(proxy, "POST", "/keys", { name: "alice" });
    await ok(proxy, "POST", "/teams", { name: "search" });
    for (const { method, path, body: schema, query } of adminRoutes) {
      const operation = body.paths[path]?.[method.toLowerCase()];
      expect(operation?.requestBody !== undefined).toBe(schema !== undefined);
      if (schema !== undefined) {
        const present = path.replace("{id}", key.id).replace("{name}", "search");
        const { status: withoutBody } = await proxy.request(method, present);
        expect([method, path, operation?.requestBody?.required]).toEqual([method, path, withoutBody === 400]);
      }
      const named = operation?.parameters
        .filter((parameter) => parameter.in === "query")
        .map(({ name }) => name);
      expect(named).toEqual(Object.keys(query?.shape ?? {}));
    }
  });
});
