import { request as httpRequest, type IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { question } from "../support/faulty-upstream.ts";
import { expectedOf, outcomeOf, refuseAtFirst, retryCases } from "../support/retry-cases.ts";
import { startTestProxy, type TestProxy, until } from "../support/start-proxy.ts";
import { type ClientDialect, DIALECTS, EVENTS, WHOLE } from "../support/vendor-responses.ts";

const SECRET = "sk-upstream-0123456789";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A proxy in front of one upstream of this dialect. */
async function setUp(
  dialect: ClientDialect,
  settings: (url: string) => object = () => ({}),
): Promise<{ proxy: TestProxy; upstream: FakeUpstream }> {
  const upstream = await startFakeUpstream(json(WHOLE[dialect]));
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    upstreams: { main: { dialect, base_url: upstream.url, api_key: SECRET } },
    models: [{ match: "*", upstream: "main" }],
    ...settings(upstream.url),
  });
  closers.push(proxy.close);
  return { proxy, upstream };
}

function post(
  proxy: TestProxy,
  client: ClientDialect,
  isStream = false,
  { headers = {}, signal, query = "" }: { headers?: object; signal?: AbortSignal; query?: string } = {},
): Promise<Response> {
  const { path, body } = question(client, "m", isStream);
  return fetch(`${proxy.url}${path}${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    ...(signal ? { signal } : {}),
  });
}

const beginStream = (upstream: FakeUpstream, dialect: ClientDialect) => {
  let finish: () => void = () => {};
  upstream.respond = async (_hit, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(EVENTS[dialect][0]);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    response.end(EVENTS[dialect].slice(1).join(""));
  };
  return () => finish();
};

// Generative-language clients do not accept comments (`google-sdk-streams.test.ts`).
const PINGS = { "chat-completions": "\n: ", responses: "\n: ", messages: "event: ping\n" } as const;
const PINGED = ["chat-completions", "responses", "messages"] as const;

describe("the translation lane", () => {
  it.each(PINGED)("sends keep-alives on a silent stream for a %s client", async (client) => {
    const dialect = client === "messages" ? "chat-completions" : "messages";
    const { proxy, upstream } = await setUp(dialect, () => ({ timeouts: { ping: 0.3 } }));
    const finish = beginStream(upstream, dialect);
    const response = await post(proxy, client, true);
    const decoder = new TextDecoder();
    let text = "";
    let finished = false;
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (!finished && text.split(PINGS[client]).length > 2) {
        finished = true;
        finish();
      }
    }
    expect(text).toContain("déjà");
    expect(text).not.toContain('"error":{');
  });

  it("88 cancels the upstream call if the client disconnects before the headers or midway, without a retry", async () => {
    const { proxy, upstream } = await setUp("chat-completions");
    upstream.respond = (hit, response) => {
      if (!hit.body.includes('"stream":true')) return;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(EVENTS["chat-completions"][0]);
    };
    const leavers = DIALECTS.filter((client) => client !== "chat-completions");
    for (const client of leavers) {
      const early = new AbortController();
      const pending = post(proxy, client, false, { signal: early.signal }).catch(() => "gone");
      await until(() => upstream.open() === 1);
      early.abort();
      expect(await pending).toBe("gone");
      await until(() => upstream.open() === 0);
      const late = new AbortController();
      await post(proxy, client, true, { signal: late.signal });
      expect(upstream.open()).toBe(1);
      late.abort();
      await until(() => upstream.open() === 0);
    }
    await until(() => proxy.records.length === leavers.length * 2);
    expect(
      proxy.records.map(({ errorMessage, retries }) => [/disconnected/.test(errorMessage ?? ""), retries]),
    ).toEqual(proxy.records.map(() => [true, 0]));
    expect(upstream.hits).toHaveLength(leavers.length * 2);
  });

  it("89 slows the upstream if the client does not read", async () => {
    const { proxy, upstream } = await setUp("chat-completions");
    const text = "x".repeat(64 * 1024);
    const piece = `data: {"id":"x","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`;
    let written = 0;
    let isPaused = false;
    upstream.respond = async (_hit, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      while (written < 64 * 1024 * 1024 && !response.destroyed) {
        written += piece.length;
        if (response.write(piece)) continue;
        isPaused = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(true), 500);
          response.once("drain", () => {
            clearTimeout(timer);
            resolve(false);
          });
        });
        if (isPaused) return;
      }
    };
    const stalled = await stalledRequest(proxy);
    await until(() => isPaused);
    expect(written).toBeLessThan(32 * 1024 * 1024);
    stalled.destroy();
    await upstream.hits[0]?.closed;
  });

  it("87 limits the first byte and silence separately, and upstream pings do not count as silence", async () => {
    const { proxy, upstream } = await setUp("messages", () => ({ timeouts: { first_byte: 60, idle: 3 } }));
    upstream.respond = async (_hit, response) => {
      // Longer than the idle limit, because only the limit on the first byte applies here.
      await new Promise((resolve) => setTimeout(resolve, 3500));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(EVENTS.messages[0]);
      for (let count = 0; count < 15; count += 1) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        response.write('event: ping\ndata: {"type": "ping"}\n\n');
      }
      response.end(EVENTS.messages.slice(1).join(""));
    };
    const text = await (await post(proxy, "chat-completions", true)).text();
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    upstream.respond = () => {};
    proxy.reload({
      upstreams: { main: { dialect: "messages", base_url: upstream.url } },
      models: [{ match: "*", upstream: "main" }],
      timeouts: { first_byte: 0.4, idle: 60 },
    });
    expect((await post(proxy, "chat-completions", true)).status).toBe(504);
  });

  it("98 continues with the next key or upstream after a rejection or failure, not after an error of the client", async () => {
    const spare = await startFakeUpstream(json(WHOLE.messages));
    closers.push(spare.close);
    const settings = (url: string) => ({
      upstreams: {
        main: { dialect: "messages", base_url: url, api_keys: ["sk-first-key", "sk-second-key"] },
        spare: { dialect: "messages", base_url: spare.url, api_key: SECRET },
      },
      models: [{ match: "*", upstream: ["main", "spare"] }],
    });
    const { proxy, upstream } = await setUp("messages", settings);
    for (const status of [401, 402, 403, 429, 500, 529]) {
      // Resets the cooldowns of keys from the previous case.
      proxy.reload(settings(upstream.url));
      upstream.hits.length = 0;
      upstream.respond = json({ error: {} }, status);
      const response = await post(proxy, "chat-completions");
      expect([response.status, response.headers.get("x-sallyport-upstream")]).toEqual([200, "spare"]);
      const keys = upstream.hits.map((hit) => hit.headers["x-api-key"]);
      expect(new Set(keys).size).toBe(status < 500 ? 2 : 1);
    }
    const before = spare.hits.length;
    proxy.reload(settings(upstream.url));
    for (const status of [400, 404, 413, 422]) {
      upstream.hits.length = 0;
      upstream.respond = json({ error: {} }, status);
      expect((await post(proxy, "chat-completions")).status).toBe(status);
      expect(upstream.hits).toHaveLength(1);
    }
    expect(spare.hits).toHaveLength(before);
  });

  it.each(retryCases)("98 $name", async (one) => {
    const { proxy, upstream } = await setUp("messages");
    refuseAtFirst(upstream, one, WHOLE.messages);
    const response = await post(proxy, "responses");
    // The dialect does not define 529.
    expect(outcomeOf(response, upstream)).toEqual(
      expectedOf(one, (status) => (status === 529 ? 503 : status)),
    );
  });

  it("104 forwards no coding, length, hop-by-hop or duplicate headers between the connections", async () => {
    const { proxy, upstream } = await setUp("messages", (url) => ({
      upstreams: {
        main: {
          dialect: "messages",
          base_url: url,
          api_key: SECRET,
          headers: { "anthropic-version": "2099-01-01" },
        },
      },
    }));
    upstream.respond = (_hit, response) => {
      const body = gzipSync(WHOLE.messages);
      const coded = { "content-encoding": "gzip", "content-length": body.length, "keep-alive": "timeout=9" };
      response.writeHead(200, { "content-type": "application/json", ...coded });
      response.end(body);
    };
    const response = await post(proxy, "chat-completions", false, {
      headers: { "accept-encoding": "br", te: "trailers", "anthropic-version": "2023-06-01" },
    });
    expect(await response.text()).toContain("déjà");
    expect(response.headers.get("content-encoding")).toBeNull();
    const raw = upstream.hits[0]?.rawHeaders.map((each) => each.toLowerCase()) ?? [];
    const names = raw.filter((_, index) => index % 2 === 0);
    expect(names).toEqual([...new Set(names)]);
    expect(upstream.hits[0]?.headers).toMatchObject({
      "accept-encoding": "identity",
      "anthropic-version": "2099-01-01",
      "content-length": String(upstream.hits[0]?.body.length),
    });
    expect(names).not.toContain("te");
  });

  it("105 forwards no client credentials to the upstream, and no upstream cookies to the client", async () => {
    const { proxy, upstream } = await setUp("messages", () => ({ api_keys: ["sk-client-0123456789"] }));
    upstream.respond = json(WHOLE.messages, 200, { "set-cookie": "a=b", "x-vendor": "1" });
    const credentials = {
      authorization: "Bearer sk-client-0123456789",
      "x-api-key": "sk-client-0123456789",
      "x-goog-api-key": "sk-client-0123456789",
      cookie: "c=d",
    };
    const response = await post(proxy, "generative-language", false, {
      headers: credentials,
      query: "?key=sk-client-0123456789",
    });
    expect([response.status, response.headers.get("set-cookie"), response.headers.get("x-vendor")]).toEqual([
      200,
      null,
      null,
    ]);
    const [hit] = upstream.hits;
    expect(`${hit?.url} ${JSON.stringify(hit?.rawHeaders)} ${hit?.body}`).not.toMatch(/sk-client|c=d/);
    expect(hit?.headers["x-api-key"]).toBe(SECRET);
    await until(() => proxy.records.length === 1);
    expect(JSON.stringify(proxy.records)).not.toContain("sk-client-0123456789");
  });

  it("106 drops the client's query, and puts the base URL's path first, with or without /v1", async () => {
    for (const prefix of ["", "/v1", "/gateway/v1"]) {
      const { proxy, upstream } = await setUp("chat-completions", (url) => ({
        upstreams: { main: { dialect: "chat-completions", base_url: `${url}${prefix}`, api_key: SECRET } },
      }));
      expect((await post(proxy, "messages", false, { query: "?beta=true" })).status).toBe(200);
      expect(upstream.hits[0]?.url).toBe(`${prefix === "" ? "/v1" : prefix}/chat/completions`);
    }
  });

  it("111 returns the request id where the client's SDK looks for it, in errors too, and logs it", async () => {
    const { proxy, upstream } = await setUp("generative-language");
    for (const [client, name] of [
      ["messages", "request-id"],
      ["chat-completions", "x-request-id"],
      ["responses", "x-request-id"],
    ] as const) {
      upstream.respond = json(WHOLE["generative-language"]);
      const response = await post(proxy, client);
      upstream.respond = json({ error: { code: 400, message: "No.", status: "INVALID_ARGUMENT" } }, 400);
      const refused = await post(proxy, client);
      const ids = [response, refused].map((response) => response.headers.get(name));
      await until(() => proxy.records.length === 2);
      expect(proxy.records.splice(0).map(({ id }) => id)).toEqual(ids);
      if (client === "messages") expect(await refused.json()).toMatchObject({ request_id: ids[1] });
    }
  });

  it("16 reads and deletes a stored response by its id, also a streamed one; other ids are not found", async () => {
    const { proxy, upstream } = await setUp("messages");
    for (const isStream of [false, true]) {
      upstream.respond = isStream
        ? (_hit, response) => {
            response.writeHead(200, { "content-type": "text/event-stream" });
            response.end(EVENTS.messages.join(""));
          }
        : json(WHOLE.messages);
      const text = await (await post(proxy, "responses", isStream)).text();
      const id = /"id":"(resp_\w+)"/.exec(text)?.[1];
      const stored = `${proxy.url}/v1/responses/${id}`;
      const read = await (await fetch(stored)).json();
      expect(read).toMatchObject({ id, object: "response", status: "completed" });
      expect(JSON.stringify(read)).toContain("déjà");
      const deleted = await fetch(stored, { method: "DELETE" });
      expect(await deleted.json()).toEqual({ id, object: "response", deleted: true });
      const removed = await fetch(stored);
      expect([removed.status, await removed.json()]).toEqual([
        404,
        { error: expect.objectContaining({ type: "invalid_request_error", message: expect.any(String) }) },
      ]);
    }
  });

  it("112 detects that it is its own upstream after one call", async () => {
    const { proxy } = await setUp("chat-completions");
    proxy.reload({
      upstreams: { main: { dialect: "chat-completions", base_url: proxy.url } },
      models: [{ match: "*", upstream: "main" }],
    });
    const response = await post(proxy, "messages");
    expect([response.status, await response.json()]).toEqual([
      508,
      expect.objectContaining({
        type: "error",
        error: expect.objectContaining({ message: expect.stringContaining("leads back") }),
      }),
    ]);
  });
});

/** A messages client that asks for a stream and never reads it. */
function stalledRequest(proxy: TestProxy): Promise<IncomingMessage> {
  const { path, body } = question("messages", "m", true);
  return new Promise((resolve) => {
    const request = httpRequest(`${proxy.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    request.on("response", (response) => {
      response.pause();
      resolve(response);
    });
    request.on("error", () => {});
    request.end(body);
  });
}
