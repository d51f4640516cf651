import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { realtimeTests } from "../../support/realtime.ts";
import { startTestProxy, until } from "../../support/start-proxy.ts";

const { closers, startVendor, open } = realtimeTests();

/** Requests a WebSocket with any headers. Returns the response to an upgrade that is rejected. */
function requestUpgrade(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(`${url}/v1/realtime?model=gpt-realtime`, {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    })
      .on("response", resolve)
      .on("error", reject)
      .end();
  });
}

async function upgrade(url: string, headers: Record<string, string>) {
  const response = await requestUpgrade(url, headers);
  return { status: response.statusCode, headers: response.headers, body: await readJson(response) };
}

describe("relayed WebSockets", () => {
  it("relay the realtime API's messages both ways, with the upstream's key, and count usage", async () => {
    const vendor = await startVendor();
    const proxy = await startTestProxy({
      upstreams: { main: { dialect: "responses", base_url: vendor.url, api_key: "sk-upstream-0123456789" } },
    });
    closers.push(proxy.close);
    const { client, received, status } = await open(`${proxy.url}/v1/realtime?model=gpt-realtime`, {
      headers: { authorization: "Bearer sk-of-the-client-0123" },
      protocols: ["realtime"],
    });
    expect([status, client.protocol]).toEqual([101, "realtime"]);
    const [upgrade] = vendor.opened;
    expect([
      upgrade?.url,
      upgrade?.headers.authorization,
      upgrade?.headers["sec-websocket-protocol"],
    ]).toEqual(["/v1/realtime?model=gpt-realtime", "Bearer sk-upstream-0123456789", "realtime"]);
    client.send("grüße");
    client.send(Buffer.from([1, 2, 3]));
    await until(() => received.length === 3);
    expect(received[0]).toBe('{"type":"session.created"}');
    expect(received[1]).toContain("grüße");
    expect(received[2]).toEqual(Buffer.from([1, 2, 3]));
    client.close(1000);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({
      route: "/v1/realtime",
      model: "gpt-realtime",
      upstream: "main",
      status: 101,
      usage: { input: { total: 5 }, output: { total: 7 } },
    });
  });

  it("accept the key that a browser sends as a protocol, and forward a client's own key only where it belongs", async () => {
    const vendor = await startVendor();
    const key = "sk-of-the-proxy-0123456789";
    const main = { dialect: "responses", base_url: vendor.url };
    const protocols = ["realtime", `openai-insecure-api-key.${key}`];
    const strict = await startTestProxy({
      auth_mode: "strict",
      api_keys: [key],
      upstreams: { main: { ...main, api_key: "sk-upstream-0123456789" } },
    });
    closers.push(strict.close);
    expect((await open(`${strict.url}/v1/realtime`, { protocols })).status).toBe(101);
    const wrong = ["realtime", "openai-insecure-api-key.sk-wrong-0123456789"];
    expect((await open(`${strict.url}/v1/realtime`, { protocols: wrong })).status).toBe(401);

    const shared = await startTestProxy({
      api_keys: [key],
      upstreams: { main: { ...main, credentials: "client" } },
    });
    closers.push(shared.close);
    await open(`${shared.url}/v1/realtime`, { protocols: wrong });
    await open(`${shared.url}/v1/realtime`, { protocols });
    expect(vendor.opened.map(({ headers }) => headers["sec-websocket-protocol"])).toEqual([
      "realtime",
      "realtime, openai-insecure-api-key.sk-wrong-0123456789",
      "realtime",
    ]);
  });

  it("need a key, and an upstream of the client's vendor that accepts WebSockets", async () => {
    const vendor = await startVendor(false);
    const key = "sk-of-the-proxy-0123456789";
    const proxy = await startTestProxy({
      auth_mode: "strict",
      api_keys: [key],
      upstreams: {
        main: { dialect: "chat-completions", base_url: vendor.url, api_key: "sk-upstream-0123456789" },
      },
    });
    closers.push(proxy.close);
    const live = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
    const plain = await fetch(`${proxy.url}/v1/realtime`, { headers: { authorization: `Bearer ${key}` } });
    expect([plain.status, plain.headers.get("upgrade")]).toEqual([405, "websocket"]);
    expect((await open(`${proxy.url}/v1/realtime`)).status).toBe(401);
    expect(
      (await open(`${proxy.url}/v1/realtime`, { headers: { authorization: `Bearer ${key}` } })).status,
    ).toBe(502);
    expect((await open(`${proxy.url}${live}?key=${key}`)).status).toBe(404);
  });

  it("are rejected if they offer invalid or repeated protocols", async () => {
    const vendor = await startVendor();
    const proxy = await startTestProxy({
      upstreams: { main: { dialect: "responses", base_url: vendor.url, api_key: "sk-upstream-0123456789" } },
    });
    closers.push(proxy.close);
    for (const offered of ["realtime, realtime", "real time", "a/b"]) {
      const received = await upgrade(proxy.url, { "sec-websocket-protocol": offered });
      expect([offered, received.status]).toEqual([offered, 400]);
      const message = expect.stringContaining("Sec-WebSocket-Protocol");
      expect(received.body).toMatchObject({ error: { message } });
    }
    expect(proxy.records.map(({ status, errorCode }) => [status, errorCode])).toEqual(
      Array(3).fill([400, "validation"]),
    );
    expect(vendor.opened).toEqual([]);
  });

  it("end the upstream's WebSocket if the client's handshake is invalid", async () => {
    const vendor = await startVendor();
    const proxy = await startTestProxy({
      upstreams: { main: { dialect: "responses", base_url: vendor.url, api_key: "sk-upstream-0123456789" } },
    });
    closers.push(proxy.close);
    const response = await requestUpgrade(proxy.url, { "sec-websocket-key": "short" });
    expect(response.statusCode).toBe(400);
    await until(() => vendor.closed.length === 1 && proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({ status: 400, errorCode: "validation" });
  });

  it("name the upstream's model once, and send the base URL's query", async () => {
    const vendor = await startVendor();
    const key = "sk-of-the-proxy-0123456789";
    const proxy = await startTestProxy({
      auth_mode: "strict",
      api_keys: [{ name: "k", sha256: createHash("sha256").update(key).digest("hex"), models: ["voice"] }],
      upstreams: {
        main: {
          dialect: "responses",
          base_url: `${vendor.url}/v1?api-version=preview`,
          api_key: "sk-upstream-0123456789",
        },
      },
      models: [{ match: "voice", upstream: "main", model: "gpt-realtime" }],
    });
    closers.push(proxy.close);
    const query = "intent=x&model=voice&%6dodel=gpt-forbidden&model=gpt-forbidden";
    const { client, status } = await open(`${proxy.url}/v1/realtime?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(status).toBe(101);
    expect(vendor.opened[0]?.url).toBe("/v1/realtime?intent=x&model=gpt-realtime&api-version=preview");
    client.close(1000);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({ model: "voice", upstreamModel: "gpt-realtime" });
  });

  it("send a token of Microsoft Entra ID to Azure, if the upstream has no key", async () => {
    const vendor = await startVendor();
    const tokens = await startFakeUpstream(json({ access_token: "entra-1", expires_in: 3600 }));
    closers.push(tokens.close);
    const azure = { tenant_id: "tenant-1", client_id: "client-1", client_secret: "entra-secret-1" };
    const proxy = await startTestProxy(
      { upstreams: { main: { vendor: "azure", base_url: vendor.url, azure } } },
      { AZURE_AUTHORITY_HOST: tokens.url },
    );
    closers.push(proxy.close);
    expect((await open(`${proxy.url}/v1/realtime?model=gpt-realtime`)).status).toBe(101);
    expect(vendor.opened.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/openai/v1/realtime?model=gpt-realtime", "Bearer entra-1"],
    ]);
  });

  it("are closed when their key is no longer valid", async () => {
    const vendor = await startVendor();
    const [first, second] = ["sk-of-the-proxy-first-0123", "sk-of-the-proxy-second-0123"];
    const settings = {
      auth_mode: "strict",
      api_keys: [first, second],
      upstreams: { main: { dialect: "responses", base_url: vendor.url, api_key: "sk-upstream-0123456789" } },
    };
    const proxy = await startTestProxy(settings);
    closers.push(proxy.close);
    const url = `${proxy.url}/v1/realtime?model=gpt-realtime`;
    const revoked = await open(url, { headers: { authorization: `Bearer ${first}` } });
    const kept = await open(url, { headers: { authorization: `Bearer ${second}` } });
    const closed = once(revoked.client, "close");
    proxy.reload({ ...settings, api_keys: [second] });
    expect((await closed)[0]).toBe(1008);
    await until(() => vendor.closed.length === 1);
    expect(kept.client.readyState).toBe(WebSocket.OPEN);
  });

  it("are rejected if the proxy stops before the upstream has accepted them", async () => {
    const vendor = await startVendor();
    const proxy = await startTestProxy({
      upstreams: { main: { dialect: "responses", base_url: vendor.url, api_key: "sk-upstream-0123456789" } },
    });
    closers.push(proxy.close);
    let accept = () => {};
    vendor.delay(
      new Promise((resolve) => {
        accept = resolve;
      }),
    );
    const opening = open(`${proxy.url}/v1/realtime?model=gpt-realtime`);
    await until(() => vendor.opened.length === 1);
    const drained = proxy.server.drain();
    accept();
    expect((await opening).status).toBe(503);
    await drained;
    await until(() => vendor.closed.length === 1);
  });
});
