import { expect, it } from "vitest";
import { testDatabases } from "../../support/databases.ts";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startGatewayProxy } from "../../support/gateway-proxy.ts";

const databases = testDatabases();

it("GET /health of the admin API reports the cooldown of an upstream, but not that of one of its models", async () => {
  const upstream = await startFakeUpstream(json({ error: {} }, 429, { "retry-after": "60" }));
  const vendor = (base_url: string) => ({ dialect: "messages", base_url, api_key: "sk-vendor-0123456789" });
  const proxy = await startGatewayProxy(await databases.locate("sqlite"), {
    upstreams: { limited: vendor(upstream.url), unreachable: vendor("http://127.0.0.1:1") },
    models: [
      { match: "a", upstream: "limited" },
      { match: "b", upstream: "unreachable" },
    ],
  });
  const { body } = await proxy.request("POST", "/keys", { name: "alice" });
  const call = async (model: string) => {
    const response = await fetch(`${proxy.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": body.secret, "content-type": "application/json" },
      body: JSON.stringify({ model, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] }),
    });
    await response.text();
    return response.status;
  };
  expect([await call("a"), await call("b")]).toEqual([429, 502]);
  const health = await proxy.request("GET", "/health");
  expect(health.body).toMatchObject({
    upstreams: [
      { name: "limited", cooldown_until: null },
      { name: "unreachable", cooldown_until: expect.any(String) },
    ],
  });
  await upstream.close();
});
