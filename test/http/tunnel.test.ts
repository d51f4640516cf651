import { expect, it, onTestFinished, vi } from "vitest";
import { selfSigned } from "../support/certificates.ts";
import { type ConnectProxy, startConnectProxy } from "../support/connect-proxy.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy } from "../support/start-proxy.ts";

const PASSWORD = "correct-horse-battery";
const COMPLETION = {
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" } }],
};

it("sends calls, model lists, warm-up and MCP through the HTTP proxy", async () => {
  const { proxy, vendor, carrier, target } = await startAll();
  vendor.respond = (hit, response) =>
    json(hit.url.endsWith("/models") ? { data: [{ id: "vendor-model" }] } : COMPLETION)(hit, response);
  const models = await fetch(`${proxy.url}/v1/models`);
  expect(await models.text()).toContain("vendor-model");
  for (const path of ["/v1/chat/completions", "/v1/messages"]) {
    const body = { model: "remote/m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
    const called = await post(`${proxy.url}${path}`, JSON.stringify(body));
    expect([path, called.status, (await called.text()).includes("Hi")]).toEqual([path, 200, true]);
  }
  expect((await fetch(`${proxy.url}/internal/warmup`, { method: "POST", body: "{}" })).status).toBe(200);
  expect((await fetch(`${proxy.url}/mcp/tools/mcp`, { method: "POST", body: "{}" })).status).toBe(200);
  expect(vendor.hits.map(({ url }) => url)).toEqual(
    expect.arrayContaining(["/v1/models", "/v1/chat/completions", "/rpc"]),
  );
  const authorization = `Basic ${Buffer.from(`me:${PASSWORD}`).toString("base64")}`;
  expect(carrier.tunnels.length).toBeGreaterThan(0);
  for (const tunnel of carrier.tunnels) expect(tunnel).toEqual({ target, authorization });
  // Each header as often as the client sent it, without the proxy's credentials.
  expect(vendor.hits.filter(({ headers }) => headers["proxy-authorization"] !== undefined)).toEqual([]);
});

it("calls what NO_PROXY names directly", async () => {
  const { proxy, vendor, carrier } = await startAll({ NO_PROXY: "vendor.test" });
  const called = await fetch(`${proxy.url}/mcp/tools/mcp`, { method: "POST", body: "{}" });
  expect([called.status, vendor.hits.length, carrier.tunnels]).toEqual([502, 0, []]);
});

it.each([407, 403, 502])(
  "reports that the HTTP proxy refused with %i, without its password",
  async (status) => {
    const { proxy, vendor, carrier } = await startAll({}, status);
    const body = JSON.stringify({ model: "remote/m", messages: [{ role: "user", content: "Hi" }] });
    const called = await post(`${proxy.url}/v1/chat/completions`, body);
    const text = await called.text();
    expect(called.status).toBe(502);
    expect(text).toContain(
      `The upstream remote could not be reached: the HTTP proxy http://127.0.0.1:${carrier.port} refused to connect (status ${status})`,
    );
    expect(text).not.toContain(PASSWORD);
    expect(vendor.hits).toEqual([]);
  },
);

it("reports that the HTTP proxy is unreachable", async () => {
  const { proxy, carrier } = await startAll();
  await carrier.close();
  const body = JSON.stringify({ model: "remote/m", messages: [{ role: "user", content: "Hi" }] });
  const called = await post(`${proxy.url}/v1/chat/completions`, body);
  expect(called.status).toBe(502);
  expect(await called.text()).toContain(
    `the HTTP proxy http://127.0.0.1:${carrier.port} failed (ECONNREFUSED)`,
  );
});

it("checks the certificate of an https proxy for the proxy's own name", async () => {
  // Self-signed certificates are accepted, so that the name in the handshake is the only difference.
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  onTestFinished(() => void vi.unstubAllEnvs());
  const vendor = await startFakeUpstream(json(COMPLETION));
  const carrier = await startConnectProxy(undefined, selfSigned("localhost"));
  const target = `vendor.test:${new URL(vendor.url).port}`;
  const proxy = await startTestProxy(
    { upstreams: { remote: { dialect: "chat-completions", base_url: `http://${target}` } } },
    { HTTP_PROXY: `https://localhost:${carrier.port}` },
  );
  onTestFinished(async () => {
    await proxy.close();
    await Promise.all([vendor.close(), carrier.close()]);
  });
  const body = JSON.stringify({ model: "remote/m", messages: [{ role: "user", content: "Hi" }] });
  expect((await post(`${proxy.url}/v1/chat/completions`, body)).status).toBe(200);
  expect(carrier.tunnels).toContainEqual({ target, authorization: undefined, serverName: "localhost" });
});

/** A vendor whose address only the HTTP proxy can resolve. */
async function startAll(environment: Record<string, string> = {}, refusal?: number) {
  const [vendor, carrier]: [FakeUpstream, ConnectProxy] = await Promise.all([
    startFakeUpstream(json({})),
    startConnectProxy(refusal),
  ]);
  const target = `vendor.test:${new URL(vendor.url).port}`;
  const proxy = await startTestProxy(
    {
      upstreams: { remote: { dialect: "chat-completions", base_url: `http://${target}` } },
      mcp: { tools: { url: `http://${target}/rpc` } },
    },
    { HTTP_PROXY: `http://me:${PASSWORD}@127.0.0.1:${carrier.port}`, ...environment },
  );
  onTestFinished(async () => {
    await proxy.close();
    await Promise.all([vendor.close(), carrier.close()]);
  });
  return { proxy, vendor, carrier, target };
}

function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
}
