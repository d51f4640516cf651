import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { text as readText } from "node:stream/consumers";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI, { toFile } from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeUpstream, json, type Respond, startFakeUpstream } from "../support/fake-upstream.ts";
import { closeHere, listenHere } from "../support/mcp-servers.ts";
import { startTestProxy, until } from "../support/start-proxy.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function startUpstream(respond: Respond = json({})): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(respond);
  closers.push(upstream.close);
  return upstream;
}

async function startProxy(settings: object) {
  const proxy = await startTestProxy(settings);
  closers.push(proxy.close);
  return proxy;
}

/** A proxy with one upstream of each vendor. */
async function setUp(settings: object = {}) {
  const [openai, anthropic, google] = [await startUpstream(), await startUpstream(), await startUpstream()];
  const proxy = await startProxy({
    upstreams: {
      openai: { dialect: "responses", base_url: openai.url, api_key: "sk-openai-0123456789" },
      anthropic: { dialect: "messages", base_url: anthropic.url, api_key: "sk-anthropic-0123456789" },
      google: { dialect: "generative-language", base_url: google.url, api_key: "key-of-google-0123456789" },
    },
    ...settings,
  });
  return { proxy, openai, anthropic, google };
}

/** The upstream's requests, except those for its model list. */
const asked = ({ hits }: FakeUpstream) =>
  hits.map(({ method, url }) => `${method} ${url}`).filter((line) => !line.startsWith("GET /v1/models"));

describe("APIs besides model calls", () => {
  it.each([
    ["GET", "/v1/files"],
    ["POST", "/v1/batches"],
  ])("return an upstream's error to %s %s with the upstream's key redacted", async (method, path) => {
    const { proxy, openai } = await setUp();
    const key = "sk-openai-0123456789";
    openai.respond = json({ error: { message: `Incorrect API key provided: ${key}`, code: "x" } }, 401);
    const init = { method, headers: { "content-type": "application/json" } };
    const response = await fetch(`${proxy.url}${path}`, method === "GET" ? init : { ...init, body: "{}" });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: { message: "Incorrect API key provided: [redacted]", code: "x" },
    });
    expect(proxy.records.at(-1)).toMatchObject({ status: 401, errorCode: "upstream_error" });
  });

  it("return 304 to a client that has the current version", async () => {
    const { proxy, openai } = await setUp();
    openai.respond = (_hit, response) => void response.writeHead(304, { etag: '"1"' }).end();
    const headers = { "if-none-match": '"1"' };
    const response = await fetch(`${proxy.url}/v1/files/file-1/content`, { headers });
    expect([response.status, response.headers.get("etag")]).toEqual([304, '"1"']);
    expect(openai.hits.at(-1)?.headers).toMatchObject(headers);
  });

  it("are passed on to OpenAI's upstream: files, batches, speech, moderations", async () => {
    const { proxy, openai } = await setUp();
    const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: "any", maxRetries: 0 });
    openai.respond = json({ id: "file-1", object: "file" });
    const content = Buffer.alloc(600_000, "line\n");
    const file = await client.files.create({ file: await toFile(content, "a.jsonl"), purpose: "batch" });
    expect(file.id).toBe("file-1");
    expect(openai.hits[0]?.body.includes(content)).toBe(true);
    expect(openai.hits[0]?.headers.authorization).toBe("Bearer sk-openai-0123456789");
    openai.respond = (_hit, response) => {
      response
        .writeHead(200, { "content-type": "text/html", "content-range": "bytes 0-3/9" })
        .end("<b>x</b>");
    };
    const read = await client.files.content("file-1");
    expect([await read.text(), read.headers.get("content-range")]).toEqual(["<b>x</b>", "bytes 0-3/9"]);
    openai.respond = json({ id: "batch_1" });
    await client.batches.create({
      input_file_id: "file-1",
      endpoint: "/v1/responses",
      completion_window: "24h",
    });
    openai.respond = (_hit, response) => response.writeHead(200, { "content-type": "audio/mpeg" }).end("mp3");
    const speech = await client.audio.speech.create({ model: "tts", voice: "alloy", input: "Hi" });
    expect(await speech.text()).toBe("mp3");
    openai.respond = json({ error: { message: "No such batch", type: "invalid_request_error" } }, 404);
    await expect(client.batches.retrieve("batch_2")).rejects.toThrow("No such batch");
    expect(asked(openai)).toEqual([
      "POST /v1/files",
      "GET /v1/files/file-1/content",
      "POST /v1/batches",
      "POST /v1/audio/speech",
      "GET /v1/batches/batch_2",
    ]);
    openai.respond = json({
      results: [],
      usage: { prompt_tokens: 7, total_tokens: 7, completion_tokens: 0 },
    });
    await fetch(`${proxy.url}/v1/rerank`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "rerank", query: "q", documents: [] }),
    });
    await until(() => proxy.records.length === 6);
    expect(proxy.records.at(-1)).toMatchObject({ route: "/v1/rerank", model: "rerank", upstream: "openai" });
    expect(proxy.records.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 200]);
  });

  it("are passed on to Anthropic's upstream: batches of messages, and files of its clients", async () => {
    const { proxy, openai, anthropic } = await setUp();
    const client = new Anthropic({ baseURL: proxy.url, apiKey: "any", maxRetries: 0 });
    anthropic.respond = json({ id: "msgbatch_1" });
    expect((await client.messages.batches.retrieve("msgbatch_1")).id).toBe("msgbatch_1");
    await client.messages.batches.create({ requests: [] });
    anthropic.respond = json({ id: "file_1" });
    await client.beta.files.upload({ file: await toFile(Buffer.from("x"), "a.txt") });
    expect(asked(anthropic)).toEqual([
      "GET /v1/messages/batches/msgbatch_1",
      "POST /v1/messages/batches",
      expect.stringMatching(/^POST \/v1\/files(?:\?beta=true)?$/),
    ]);
    expect(anthropic.hits[0]?.headers["x-api-key"]).toBe("sk-anthropic-0123456789");
    expect(openai.hits).toEqual([]);
  });

  it("are passed on to Google's upstream: caches, and uploads whose address leads back to the proxy", async () => {
    const { proxy, google } = await setUp();
    const client = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: proxy.url } });
    google.respond = json({ name: "cachedContents/1" });
    expect((await client.caches.get({ name: "cachedContents/1" })).name).toBe("cachedContents/1");
    google.respond = (hit, response) => {
      const isStart = hit.headers["x-goog-upload-command"] === "start";
      const headers = isStart
        ? { "x-goog-upload-url": `${google.url}/upload/v1beta/files?upload_id=u1` }
        : { "x-goog-upload-status": "final" };
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(isStart ? {} : { file: { name: "files/1" } }));
    };
    const file = await client.files.upload({ file: new Blob(["words"]), config: { mimeType: "text/plain" } });
    expect(file.name).toBe("files/1");
    expect(asked(google)).toEqual([
      "GET /v1beta/cachedContents/1",
      "POST /upload/v1beta/files",
      "POST /upload/v1beta/files?upload_id=u1",
    ]);
    expect(google.hits.at(-1)?.body.toString()).toBe("words");
    expect(google.hits.map(({ headers }) => headers["x-goog-api-key"])).toEqual(
      google.hits.map(() => "key-of-google-0123456789"),
    );
  });

  it("go to the upstream that the client names, or that serves the model, and are sent once", async () => {
    const [one, other] = [await startUpstream(), await startUpstream(json({ error: { message: "x" } }, 500))];
    const settings = (base_url: string) => ({
      dialect: "chat-completions",
      base_url,
      api_key: "sk-0123456789abcdef",
    });
    const proxy = await startProxy({
      upstreams: { one: settings(one.url), other: settings(other.url) },
      models: [{ match: "tts", upstream: "other", model: "renamed" }],
    });
    await fetch(`${proxy.url}/v1/files`);
    await fetch(`${proxy.url}/v1/files`, { headers: { "x-sallyport-upstream": "other" } });
    const response = await fetch(`${proxy.url}/v1/audio/speech`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "tts", input: "Hi" }),
    });
    expect(response.status).toBe(500);
    expect([one.hits.length, other.hits.length]).toEqual([1, 2]);
    expect(other.hits[1]?.body.toString()).toContain('"renamed"');
    expect(other.hits[0]?.headers["x-sallyport-upstream"]).toBeUndefined();
    const unknown = await fetch(`${proxy.url}/v1/files`, { headers: { "x-sallyport-upstream": "none" } });
    expect(unknown.status).toBe(404);
  });

  it("stay within the API, and need an upstream of the client's vendor", async () => {
    const { proxy, openai } = await setUp();
    for (const path of ["/v1/files/..%2f..%2fadmin", "/v1/files/a%2f..%2f..%2fmodels", "/v1/batches/..%5cx"])
      expect((await fetch(`${proxy.url}${path}`)).status).toBe(404);
    expect(openai.hits).toEqual([]);
    const echo = await startProxy({ upstreams: {}, models: [{ match: "*", upstream: "echo" }] });
    const response = await fetch(`${echo.url}/v1/files`);
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining("No upstream can serve"),
    ]);
  });

  it("may be read only, where they name no model, with a key that is limited to models", async () => {
    const key = "sk-limited-0123456789abcdef";
    const { proxy, openai } = await setUp({
      auth_mode: "strict",
      api_keys: [{ name: "limited", sha256: await sha256(key), models: ["tts"] }],
    });
    const send = async (path: string, method = "GET", body?: object) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const response = await fetch(`${proxy.url}${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
      });
      await response.text();
      return response.status;
    };
    expect(await send("/v1/files")).toBe(200);
    expect(await send("/v1/batches", "POST", {})).toBe(403);
    expect(await send("/v1/audio/speech", "POST", { model: "other" })).toBe(403);
    expect(await send("/v1/audio/speech", "POST", { model: "tts" })).toBe(200);
    expect(asked(openai)).toEqual(["GET /v1/files", "POST /v1/audio/speech"]);
  });
});

describe("APIs besides model calls, with a key that has a budget", () => {
  it.each([
    ["POST", "/v1/files", 200],
    ["DELETE", "/v1/files/file-1", 200],
    ["POST", "/v1/uploads/upload-1/parts", 200],
    ["POST", "/upload/v1beta/files", 200],
    ["POST", "/v1/batches", 403],
    ["POST", "/v1/vector_stores", 403],
    ["POST", "/v1beta/cachedContents", 403],
  ])("serve %s %s with status %i: files cost nothing", async (method, path, status) => {
    const key = "sk-limited-0123456789abcdef";
    const limits = { budgets: [{ usd: 0.01, period: "day" }] };
    const { proxy } = await setUp({
      auth_mode: "strict",
      unpriced: "refuse",
      api_keys: [{ name: "limited", sha256: await sha256(key), limits }],
    });
    const init = { method, headers: { authorization: `Bearer ${key}` } };
    const sent = method === "POST" ? { ...init, body: "bytes" } : init;
    const response = await fetch(`${proxy.url}${path}`, sent);
    await response.text();
    expect(response.status).toBe(status);
  });
});

describe("a pass-through call that names a model, with a key that has a budget", () => {
  const key = "sk-limited-0123456789abcdef";

  it.each([
    ["refuse", "POST", "tts", 403],
    ["refuse", "POST", "priced", 200],
    ["refuse", "GET", "tts", 200],
    ["count", "POST", "tts", 200],
  ])("with unpriced: %s, %s %s has status %i", async (unpriced, method, model, status) => {
    const upstream = await startUpstream(json({ ok: true }));
    const limits = { budgets: [{ usd: 0.01, period: "day" }] };
    const proxy = await startProxy({
      auth_mode: "strict",
      unpriced,
      api_keys: [{ name: "limited", sha256: await sha256(key), limits }],
      upstreams: {
        openai: {
          dialect: "chat-completions",
          base_url: upstream.url,
          api_key: "sk-0123456789abcdef",
          prices: { priced: { input: 1, output: 1 } },
        },
      },
    });
    const [path, body] =
      method === "GET"
        ? ["/v1/batches", undefined]
        : ["/v1/audio/speech", JSON.stringify({ model, input: "Hi" })];
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${proxy.url}${path}`, { method, headers, body });
    const text = await response.text();
    expect([response.status, upstream.hits.length]).toEqual([status, status === 200 ? 1 : 0]);
    if (status === 403) expect(text).toContain("proxy.upstreams.openai.prices");
  });
});

describe("an upload", () => {
  it("receives the response of an upstream that does not read all of it", async () => {
    const server = createServer((request, response) => {
      request.once("data", () => {
        response.writeHead(413, { "content-type": "application/json" });
        response.end('{"error":{"message":"too large"}}');
      });
    });
    const url = await listenHere(server);
    closers.push(() => closeHere(server));
    const proxy = await startProxy({
      upstreams: { openai: { dialect: "responses", base_url: url, api_key: "sk-openai-0123456789" } },
    });
    const headers = { "content-type": "multipart/form-data; boundary=x", "content-length": "1000000" };
    const upload = request(`${proxy.url}/v1/files`, { method: "POST", headers });
    const responded = once(upload, "response");
    upload.write("the beginning");
    const [response] = (await responded) as [IncomingMessage];
    upload.end(Buffer.alloc(1_000_000 - 13));
    expect([response.statusCode, await readText(response)]).toEqual([
      413,
      expect.stringContaining("too large"),
    ]);
  });
});

describe("unknown paths", () => {
  it("are 404 with the list of paths, or are passed on if the upstream says so", async () => {
    const { proxy, openai } = await setUp();
    const response = await fetch(`${proxy.url}/v1/brand/new`);
    expect(response.status).toBe(404);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain("/v1/chat/completions, ");
    expect(error.message).toContain("/v1/files");
    expect(openai.hits).toEqual([]);
    const upstream = await startUpstream(json({ brand: "new" }));
    const passing = await startProxy({
      upstreams: {
        one: {
          dialect: "chat-completions",
          base_url: upstream.url,
          api_key: "sk-0123456789abcdef",
          pass_through: true,
        },
      },
    });
    const passed = await fetch(`${passing.url}/v1/brand/new?a=b`, { method: "POST", body: "plain" });
    expect([passed.status, await passed.json()]).toEqual([200, { brand: "new" }]);
    expect(asked(upstream)).toEqual(["POST /v1/brand/new?a=b"]);
    expect(upstream.hits[0]?.body.toString()).toBe("plain");
  });
});

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(text));
  return Buffer.from(digest).toString("hex");
}
