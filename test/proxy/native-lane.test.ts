import { request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { events, type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { expectedOf, outcomeOf, refuseAtFirst, retryCases } from "../support/retry-cases.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";

const SECRET = "sk-upstream-0123456789";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function setUp(
  settings: (url: string) => object = () => ({}),
  respond = json({ ok: true }),
): Promise<{ proxy: TestProxy; upstream: FakeUpstream }> {
  const upstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { main: { dialect: "messages", base_url: upstream.url, api_key: SECRET } },
    ...settings(upstream.url),
  });
  closers.push(proxy.close);
  return { proxy, upstream };
}

const post = (
  proxy: TestProxy,
  body: string | Buffer,
  headers: Record<string, string> = {},
  path = "/v1/messages",
) =>
  fetch(`${proxy.url}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });

const STREAM = [
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":11,"cache_read_input_tokens":4,"output_tokens":1}}}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"déjà \\"usage\\": {\\"output_tokens\\": 99} 🙂"}}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
];

describe("the native lane", () => {
  it("relays request and response byte for byte, and records the usage", async () => {
    const body = '{ "id":"x","n":9007199254740993,"usage":{"input_tokens":3,"output_tokens":2} }\n';
    const { proxy, upstream } = await setUp(undefined, json(body));
    const sent = '{ "model" : "m","n":9007199254740993,"dup":1,"dup":2,\n"esc":"\\u00e9"}';
    const response = await post(proxy, sent);
    expect(await response.text()).toBe(body);
    expect(upstream.hits[0]?.body.toString()).toBe(sent);
    expect(response.headers.get("x-sallyport-upstream")).toBe("main");
    expect(response.headers.get("x-sallyport-request-id")).toMatch(/^req_\w+$/);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({
      status: 200,
      model: "m",
      upstream: "main",
      retries: 0,
      errorMessage: undefined,
    });
    expect(proxy.records[0]?.usage).toMatchObject({ input: { total: 3 }, output: { total: 2 } });
  });

  it("relays a stream split at any byte, and reads its usage at the end", async () => {
    const bytes = Buffer.from(STREAM.join(""));
    for (const size of [1, 7, 64]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const { proxy } = await setUp(undefined, events(pieces));
      const response = await post(proxy, '{"model":"m","stream":true}');
      expect(await response.text()).toBe(STREAM.join(""));
      await until(() => proxy.records.length === 1);
      const usage = { input: { total: 15, cacheRead: 4 }, output: { total: 7 } };
      expect(proxy.records[0]).toMatchObject({ stream: true, status: 200, errorMessage: undefined, usage });
    }
  });

  it("relays all events of a packet that also ends the stream, with or without an error", async () => {
    for (const ends of [true, false]) {
      const sent = ends ? STREAM : STREAM.slice(0, 2);
      const { proxy } = await setUp(undefined, (_hit, response) => {
        // Corked, so that head, events and end are one write.
        response.socket?.cork();
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const event of sent) response.write(event);
        response.end();
        response.socket?.uncork();
      });
      const text = await (await post(proxy, '{"model":"m","stream":true}')).text();
      expect(text.startsWith(sent.join(""))).toBe(true);
      expect(text.slice(sent.join("").length)).toMatch(ends ? /^$/ : /^event: error\ndata: .+\n\n$/);
      await until(() => proxy.records.length === 1);
      expect(proxy.records[0]?.errorMessage === undefined).toBe(ends);
    }
  });

  it("sends its own credentials, and none of the client, its connection or its browser", async () => {
    const { proxy, upstream } = await setUp(() => ({ api_keys: ["sk-client-0123456789"] }));
    await post(proxy, '{"model":"m"}', {
      authorization: "Bearer sk-client-0123456789",
      "x-api-key": "sk-client-0123456789",
      cookie: "a=b",
      "x-forwarded-for": "10.0.0.1",
      "anthropic-beta": "one",
    });
    const headers = upstream.hits[0]?.headers ?? {};
    expect(headers).toMatchObject({
      "x-api-key": SECRET,
      "anthropic-beta": "one",
      "anthropic-version": "2023-06-01",
    });
    for (const name of ["authorization", "cookie", "x-forwarded-for"]) expect(headers[name]).toBeUndefined();
    expect(JSON.stringify(headers)).not.toContain("sk-client");
  });

  it("forwards the client's own key if the upstream requires it, but never the proxy's", async () => {
    const { proxy, upstream } = await setUp((url) => ({
      api_keys: ["sk-proxy-0123456789ab"],
      auth_mode: "strict",
      upstreams: { main: { dialect: "messages", base_url: url, credentials: "client" } },
    }));
    await post(proxy, '{"model":"m"}', {
      authorization: "Bearer sk-proxy-0123456789ab",
      "x-api-key": "sk-ant-own",
    });
    expect(upstream.hits[0]?.headers["x-api-key"]).toBe("sk-ant-own");
    expect(upstream.hits[0]?.headers.authorization).toBeUndefined();
  });

  it("forwards a client's own key from the query as a header", async () => {
    const { proxy, upstream } = await setUp((url) => ({
      api_keys: ["sk-proxy-0123456789ab"],
      upstreams: { main: { dialect: "generative-language", base_url: url, credentials: "client" } },
    }));
    const path = "/v1beta/models/m:generateContent";
    await post(proxy, "{}", {}, `${path}?key=AIza-own&x=1`);
    await post(proxy, "{}", { "x-goog-api-key": "AIza-header" }, `${path}?key=AIza-own`);
    await post(proxy, "{}", {}, `${path}?key=sk-proxy-0123456789ab`);
    const keys = upstream.hits.map(({ headers }) => headers["x-goog-api-key"]);
    expect(keys).toEqual(["AIza-own", "AIza-header", undefined]);
    expect(upstream.hits[0]?.url).toBe(`${path}?x=1`);
  });

  it.each(["gzip", "GZIP"])("104: sends a body compressed with %s uncompressed", async (coding) => {
    const { proxy, upstream } = await setUp();
    await post(proxy, gzipSync('{"model":"m"}'), { "content-encoding": coding });
    expect(upstream.hits[0]?.body.toString()).toBe('{"model":"m"}');
    expect(upstream.hits[0]?.headers["content-encoding"]).toBeUndefined();
  });

  it("104: leaves the bodies of MCP servers compressed", async () => {
    const { proxy, upstream } = await setUp((url) => ({ mcp: { tools: { url: `${url}/mcp` } } }));
    const compressed = gzipSync("{}");
    await post(proxy, compressed, { "content-encoding": "gzip" }, "/mcp/tools/mcp");
    expect(upstream.hits[0]?.body).toEqual(compressed);
    expect(upstream.hits[0]?.headers["content-encoding"]).toBe("gzip");
  });

  it("continues with the next key after a rejected one, and with the next upstream after a failing one", async () => {
    const second = await startFakeUpstream(json({ from: "second" }));
    closers.push(second.close);
    const { proxy, upstream } = await setUp((url) => ({
      upstreams: {
        main: { dialect: "messages", base_url: url, api_keys: ["sk-first-key", "sk-second-key"] },
        spare: { dialect: "messages", base_url: second.url, api_key: SECRET },
      },
      models: [{ match: "*", upstream: ["main", "spare"] }],
    }));
    upstream.respond = (hit, response) =>
      json({ error: {} }, hit.headers["x-api-key"] === "sk-second-key" ? 500 : 429)(hit, response);
    const response = await post(proxy, '{"model":"m"}');
    expect(await response.json()).toEqual({ from: "second" });
    expect(response.headers.get("x-sallyport-upstream")).toBe("spare");
    expect(upstream.hits.map((hit) => hit.headers["x-api-key"])).toEqual(["sk-first-key", "sk-second-key"]);
    await until(() => proxy.records.length === 1);
    expect(proxy.records[0]).toMatchObject({ upstream: "spare", retries: 2 });
  });

  it.each(retryCases)("$name", async (one) => {
    const { proxy, upstream } = await setUp();
    refuseAtFirst(upstream, one, '{"ok":1}');
    const response = await post(proxy, '{"model":"m"}');
    expect(outcomeOf(response, upstream)).toEqual(expectedOf(one));
  });

  it.each([
    ["identity", STREAM[0] ?? ""],
    ["gzip", gzipSync(STREAM[0] ?? "")],
  ])("relays each event without waiting for the next, also compressed with %s", async (coding, first) => {
    const { proxy, upstream } = await setUp();
    const more: { finish: () => void } = { finish: () => {} };
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": coding });
      response.write(first);
      more.finish = () => response.end(coding === "gzip" ? gzipSync("") : STREAM.slice(1).join(""));
    };
    const response = await post(proxy, '{"model":"m","stream":true}');
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(STREAM[0]);
    more.finish();
    while ((await reader?.read())?.done === false);
  });

  it.each([
    ["text/plain; charset=utf-8", `bad foo, said ${SECRET}`, "bad foo, said [redacted]"],
    ["text/html", "<p>bad foo</p>", "The upstream main responded with status 400"],
    ["application/json", "", "The upstream main responded with status 400"],
  ])("returns a rejection that is %s in the client's envelope", async (type, body, message) => {
    const { proxy } = await setUp(undefined, json(body, 400, { "content-type": type }));
    const response = await post(proxy, '{"model":"m"}');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: "error", error: { message } });
  });

  it.each([
    ["/v1/messages", "/v1/messages?beta=true", '{"model":"m"}'],
    [
      "/v1/chat/completions",
      "/v1/chat/completions",
      '{"model":"main/m","messages":[{"role":"user","content":"Hi"}]}',
    ],
  ])("keeps the base URL's own query after %s", async (_, path, body) => {
    const { proxy, upstream } = await setUp((url) => ({
      upstreams: { main: { dialect: "messages", base_url: `${url}/at?api-version=1` } },
    }));
    await post(proxy, body, {}, path);
    const asked = path.includes("?") ? "beta=true&api-version=1" : "api-version=1";
    expect(upstream.hits.at(-1)?.url).toBe(`/at/v1/messages?${asked}`);
  });

  it("reports a response that is not HTTP", async () => {
    const server = createServer((socket) =>
      socket
        .on("error", () => {})
        .resume()
        .end("SSH-2.0-x\r\n"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const { proxy } = await setUp(() => ({
      upstreams: { main: { dialect: "messages", base_url: `http://127.0.0.1:${port}` } },
    }));
    const response = await post(proxy, '{"model":"m"}');
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("a response that is not valid HTTP");
  });

  it("leaves the body of Google's older clients unchanged, which name the model as a resource", async () => {
    const { proxy, upstream } = await setUp(
      (url) => ({
        upstreams: { main: { dialect: "generative-language", base_url: url, api_key: SECRET } },
        models: [
          { match: "alias", upstream: "main", model: "gemini-2.5-flash" },
          { match: "*", upstream: "main" },
        ],
      }),
      json({ candidates: [] }),
    );
    const ask = async (model: string, method: string, body: string) => {
      await post(proxy, body, {}, `/v1beta/models/${model}:${method}`);
      return upstream.hits.at(-1)?.body.toString();
    };
    const body = '{ "model":"models/gemini-2.5-flash","contents":[{"parts":[{"text":"Hi"}]}]}';
    expect(await ask("gemini-2.5-flash", "generateContent", body)).toBe(body);
    const batch = `{"model":"models/e","requests":[{"model":"models/e","content":${JSON.stringify({ parts: [] })}}]}`;
    expect(await ask("e", "batchEmbedContents", batch)).toBe(batch);
    expect(await ask("alias", "generateContent", '{"model":"models/alias","contents":[]}')).toBe(
      '{"model":"models/gemini-2.5-flash","contents":[]}',
    );
  });

  it("relays the part of a stream that arrived before it broke off within an event", async () => {
    const { proxy } = await setUp(undefined, (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`${STREAM[0]}event: content_block_delta\ndata: {"type":"cont`, () => response.destroy());
    });
    const response = await post(proxy, '{"model":"m","stream":true}');
    expect(response.status).toBe(200);
    let text = "";
    const read = async () => {
      for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
    };
    await expect(read()).rejects.toThrow();
    expect(text).toContain("message_start");
  });

  it("relays a 404 for an unknown model, and estimates if the upstream cannot count", async () => {
    const error = { type: "not_found_error", message: "model: claude-none" };
    const { proxy, upstream } = await setUp(undefined, json({ type: "error", error }, 404));
    const body = '{"model":"claude-none","messages":[{"role":"user","content":"Hi"}]}';
    const missing = await post(proxy, body, {}, "/v1/messages/count_tokens");
    expect([missing.status, await missing.json()]).toMatchObject([404, { error }]);
    upstream.respond = json({ detail: "Not Found" }, 404);
    const unknown = await post(proxy, body, {}, "/v1/messages/count_tokens");
    expect([unknown.status, unknown.headers.get("x-sallyport-estimated")]).toEqual([200, "true"]);
  });

  it("sends keep-alives on a silent stream, only between events", async () => {
    const { proxy, upstream } = await setUp(() => ({ timeouts: { ping: 0.3 } }));
    let finish: () => void = () => {};
    upstream.respond = async (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(STREAM[0]);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      response.end(STREAM.slice(1).join(""));
    };
    const response = await post(proxy, '{"model":"m","stream":true}');
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes("event: ping")) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    finish();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
      text += Buffer.from(piece.value).toString();
    expect(text.replaceAll('event: ping\ndata: {"type": "ping"}\n\n', "")).toBe(STREAM.join(""));
  });

  it("ends a running stream unchanged while the configuration is replaced", async () => {
    const { proxy, upstream } = await setUp();
    let finish: () => void = () => {};
    upstream.respond = async (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(STREAM[0]);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      response.end(STREAM.slice(1).join(""));
    };
    const response = await post(proxy, '{"model":"m","stream":true}');
    const other = await startFakeUpstream(json({ from: "other" }));
    closers.push(other.close);
    proxy.reload({ upstreams: { other: { dialect: "messages", base_url: other.url } } });
    expect(await (await post(proxy, '{"model":"m"}')).json()).toEqual({ from: "other" });
    finish();
    expect(await response.text()).toBe(STREAM.join(""));
  });

  it("slows the upstream to the client's speed", async () => {
    const { proxy, upstream } = await setUp();
    const piece = Buffer.alloc(256 * 1024, "x");
    let written = 0;
    let isPaused = false;
    upstream.respond = async (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      while (written < 64 * 1024 * 1024 && !response.destroyed) {
        written += piece.length;
        if (response.write(piece)) continue;
        const drained = await Promise.race([
          new Promise((resolve) => response.once("drain", () => resolve(true))),
          new Promise((resolve) => setTimeout(() => resolve(false), 500)),
        ]);
        if (!drained) {
          isPaused = true;
          return;
        }
      }
    };
    const stalled = await stalledRequest(proxy);
    await until(() => isPaused);
    expect(written).toBeLessThan(32 * 1024 * 1024);
    stalled.destroy();
    await upstream.hits[0]?.closed;
  });

  it("leaves no upstream stream open, however many clients disconnect", async () => {
    const { proxy, upstream } = await setUp();
    upstream.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(STREAM[0]);
    };
    for (let round = 0; round < 5; round += 1) {
      const clients = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const controller = new AbortController();
          const pending = fetch(`${proxy.url}/v1/messages`, {
            method: "POST",
            body: '{"model":"m","stream":true}',
            headers: { "content-type": "application/json" },
            signal: controller.signal,
          });
          if (index % 2 === 0) await pending;
          else pending.catch(() => {});
          return controller;
        }),
      );
      for (const controller of clients) controller.abort();
    }
    await until(() => proxy.records.length === 200 && upstream.open() === 0);
    expect(new Set(proxy.records.map((record) => record.status))).toEqual(new Set([499]));
  });

  it("rejects a call that has passed through it before", async () => {
    const { proxy, upstream } = await setUp((url) => ({
      upstreams: { main: { dialect: "messages", base_url: url, api_key: SECRET } },
    }));
    upstream.respond = async (hit, response) => {
      const again = await fetch(`${proxy.url}/v1/messages`, {
        method: "POST",
        body: new Uint8Array(hit.body),
        headers: {
          "content-type": "application/json",
          "x-sallyport-via": String(hit.headers["x-sallyport-via"]),
        },
      });
      json(await again.text(), again.status)(hit, response);
    };
    const response = await post(proxy, '{"model":"m"}');
    expect([response.status, upstream.hits.length]).toEqual([508, 1]);
  });
});

/** A client that asks for a stream and never reads it. */
function stalledRequest(proxy: TestProxy): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const request = httpRequest(`${proxy.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    request.on("response", (response) => {
      response.pause();
      resolve(response);
    });
    request.on("error", () => {});
    request.end('{"model":"m","stream":true}');
  });
}
