import { METHODS } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { effectiveMode, needsKey } from "../../src/proxy/auth/policy.ts";
import { type Route, routes } from "../../src/proxy/routes.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

const KEY = "sk-matrix-0123456789abcdef";
const WRONG = "sk-matrix-fedcba9876543210";

/** Valid and invalid ways to send a key; `right` marks the valid ones. */
const CREDENTIALS: readonly { name: string; headers: Record<string, string>; right: boolean }[] = [
  { name: "none", headers: {}, right: false },
  { name: "wrong bearer", headers: { authorization: `Bearer ${WRONG}` }, right: false },
  { name: "wrong x-api-key", headers: { "x-api-key": WRONG }, right: false },
  { name: "bearer", headers: { authorization: `Bearer ${KEY}` }, right: true },
  { name: "bearer in lower case", headers: { authorization: `bearer ${KEY}` }, right: true },
  { name: "x-api-key", headers: { "x-api-key": KEY }, right: true },
  { name: "x-gen-api-key", headers: { "x-gen-api-key": KEY }, right: true },
  { name: "x-goog-api-key", headers: { "x-goog-api-key": KEY }, right: true },
  { name: "no Bearer word", headers: { authorization: KEY }, right: false },
  { name: "empty", headers: { authorization: "Bearer ", "x-api-key": "" }, right: false },
  { name: "a prefix", headers: { "x-api-key": KEY.slice(0, -1) }, right: false },
  { name: "the key twice over", headers: { "x-api-key": `${KEY}${KEY}` }, right: false },
  {
    name: "wrong bearer, right x-api-key",
    headers: { authorization: `Bearer ${WRONG}`, "x-api-key": KEY },
    right: true,
  },
  {
    name: "right bearer, wrong x-api-key",
    headers: { authorization: `Bearer ${KEY}`, "x-api-key": WRONG },
    right: true,
  },
];

const MODES = ["off", "strict", "all_except_health", "auto"] as const;

function pathOf(route: Route): string {
  return route.path
    .replace("/v1beta/models/:model", "/v1beta/models/m:generateContent")
    .replace(":generateContent/countTokens", "/countTokens")
    .replace("/models/*", "/models/a/m:generateContent")
    .replace(":name", "web_reader")
    .replace(":id", "resp_1");
}

let upstream: FakeUpstream;

beforeAll(async () => {
  upstream = await startFakeUpstream(json({ ok: true }));
});
afterAll(() => upstream.close());

describe.each(MODES.flatMap((mode) => [false, true].map((lan) => ({ mode, lan }))))(
  "P2 auth_mode $mode, allow_lan_access $lan",
  ({ mode, lan }) => {
    let proxy: TestProxy;
    beforeAll(async () => {
      const dialects = ["chat-completions", "responses", "messages", "generative-language"];
      proxy = await startTestProxy({
        auth_mode: mode,
        allow_lan_access: lan,
        api_keys: [KEY],
        upstreams: Object.fromEntries(
          dialects.map((dialect) => [
            dialect,
            { dialect, base_url: upstream.url, api_key: "sk-upstream", models: ["m"] },
          ]),
        ),
        mcp: { web_reader: { url: `${upstream.url}/mcp` } },
      });
    });
    afterAll(() => proxy.close());

    it("requires a key on exactly the routes of the specification", async () => {
      const effective = effectiveMode(mode, lan);
      const wrong: string[] = [];
      for (const route of routes) {
        const methods = ["ANY", "COMMON"].includes(route.method) ? ["POST", "PUT"] : [route.method];
        for (const method of methods) {
          for (const { name, headers, right } of CREDENTIALS) {
            const refused = await isRefused(proxy, method, pathOf(route), headers);
            if (refused !== (needsKey(effective, route.operation) && !right))
              wrong.push(`${method} ${route.path} with ${name}: ${refused ? "refused" : "let in"}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    });

    it("answers OPTIONS on every path itself, without a key", async () => {
      const before = upstream.hits.length;
      const statuses = await Promise.all(
        routes.map(
          async (route) =>
            (await proxy.server.app.inject({ method: "OPTIONS", url: pathOf(route) })).statusCode,
        ),
      );
      expect(new Set(statuses)).toEqual(new Set([204]));
      expect(upstream.hits.length).toBe(before);
    });

    it("does not reveal which paths exist", async () => {
      const open = effective(mode, lan) === "off";
      for (const method of METHODS.filter((name) => ["GET", "POST", "PATCH"].includes(name))) {
        const { statusCode } = await proxy.server.app.inject({ method: method as "GET", url: "/v1/nowhere" });
        expect(statusCode).toBe(open ? 404 : 401);
      }
    });
  },
);

const effective = effectiveMode;

async function isRefused(
  proxy: TestProxy,
  method: string,
  url: string,
  headers: Record<string, string>,
): Promise<boolean> {
  const payload = method === "POST" ? '{"model":"m"}' : undefined;
  const type = payload === undefined ? {} : { "content-type": "application/json" };
  const response = await proxy.server.app.inject({
    method: method as "GET",
    url,
    headers: { host: "localhost", ...headers, ...type },
    payload,
    // For a response that never ends, only the headers are read.
    payloadAsStream: true,
  });
  response.stream().destroy();
  if (response.statusCode !== 401) return false;
  if (response.headers["www-authenticate"] === undefined) throw new Error("401 without www-authenticate");
  return true;
}
