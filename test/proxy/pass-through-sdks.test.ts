import { createHash } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import { GenerateVideosOperation, GoogleGenAI } from "@google/genai";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeUpstream, type Hit, type Respond, startFakeUpstream } from "../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";

/** Each call of the vendors' SDKs, to the vendor directly and through the proxy: the vendor must receive the same request. */

const KEY = "sk-of-the-vendor-0123456789";
let vendor: FakeUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  vendor = await startFakeUpstream();
  const shared = { base_url: vendor.url, api_key: KEY };
  proxy = await startTestProxy({
    upstreams: {
      openai: { dialect: "responses", models: ["whisper-1", "gpt-image-1", "e"], ...shared },
      anthropic: { dialect: "messages", ...shared },
      google: { dialect: "generative-language", ...shared },
    },
  });
});

afterAll(async () => {
  await proxy.close();
  await vendor.close();
});

/** The request as a vendor receives it, without values that differ for each connection and each form. */
function seen({ method, url, headers, body }: Hit): object {
  const type = headers["content-type"] ?? "";
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  const clean = (text: string) => (boundary === undefined ? text : text.replaceAll(boundary, "BOUNDARY"));
  const kept = ["anthropic-version", "anthropic-beta", "openai-beta"];
  const key =
    headers.authorization?.replace("Bearer ", "") ?? headers["x-api-key"] ?? headers["x-goog-api-key"];
  return {
    method,
    url,
    key,
    type: clean(type),
    body: clean(body.toString("latin1")),
    headers: kept.map((name) => [name, headers[name]]),
    upload: Object.entries(headers).filter(([name]) => name.startsWith("x-goog-upload")),
  };
}

/** Returns whether the client sent a request. The proxy lists the vendor's models by itself. */
function isCall({ method, url }: Hit): boolean {
  return method !== "GET" || !/^\/v1(?:beta)?\/models(?:\?|$)/.test(url);
}

/** Returns a result as text, without the headers that Google's SDK adds to it. */
function withoutTransport(result: unknown): string | undefined {
  return JSON.stringify(result, (name, value) => (name === "sdkHttpResponse" ? undefined : value));
}

/** Calls the vendor directly, then through the proxy. Returns the requests that the vendor received. */
async function compare(call: (url: string) => Promise<unknown>) {
  const requests = async (url: string) => {
    const from = vendor.hits.length;
    const result = await call(url).catch((error: unknown) => `${error}`);
    return { result, hits: vendor.hits.slice(from).filter(isCall) };
  };
  const [direct, relayed] = [await requests(vendor.url), await requests(proxy.url)];
  expect(direct.hits.length).toBeGreaterThan(0);
  expect(relayed.hits.map(seen)).toEqual(direct.hits.map(seen));
  expect(withoutTransport(relayed.result)).toBe(withoutTransport(direct.result));
}

const text = () => toFile(Buffer.from("one line\n"), "a.jsonl", { type: "application/jsonl" });
const sound = () => toFile(Buffer.from("RIFF0000WAVE"), "a.wav", { type: "audio/wav" });

type Case<Client> = readonly [name: string, call: (client: Client) => Promise<unknown>];

const OPENAI: readonly Case<OpenAI>[] = [
  ["files.create", async ({ files }) => files.create({ file: await text(), purpose: "batch" })],
  ["files.list", ({ files }) => files.list({ purpose: "batch", limit: 2, after: "file-1" })],
  ["files.retrieve", ({ files }) => files.retrieve("file-1")],
  ["files.content", async ({ files }) => (await files.content("file-1")).text()],
  ["files.delete", ({ files }) => files.delete("file-1")],
  [
    "uploads.create",
    ({ uploads }) => uploads.create({ bytes: 9, filename: "a", mime_type: "text/plain", purpose: "batch" }),
  ],
  ["uploads.parts.create", async ({ uploads }) => uploads.parts.create("upload_1", { data: await text() })],
  ["uploads.complete", ({ uploads }) => uploads.complete("upload_1", { part_ids: ["p1"] })],
  ["uploads.cancel", ({ uploads }) => uploads.cancel("upload_1")],
  [
    "batches.create",
    ({ batches }) =>
      batches.create({ input_file_id: "f", endpoint: "/v1/responses", completion_window: "24h" }),
  ],
  ["batches.list", ({ batches }) => batches.list({ limit: 2 })],
  ["batches.retrieve", ({ batches }) => batches.retrieve("batch_1")],
  ["batches.cancel", ({ batches }) => batches.cancel("batch_1")],
  ["vectorStores.create", ({ vectorStores }) => vectorStores.create({ name: "a" })],
  ["vectorStores.list", ({ vectorStores }) => vectorStores.list()],
  ["vectorStores.update", ({ vectorStores }) => vectorStores.update("vs_1", { name: "b" })],
  ["vectorStores.search", ({ vectorStores }) => vectorStores.search("vs_1", { query: "a" })],
  ["vectorStores.delete", ({ vectorStores }) => vectorStores.delete("vs_1")],
  ["vectorStores.files.create", ({ vectorStores }) => vectorStores.files.create("vs_1", { file_id: "f" })],
  ["vectorStores.files.list", ({ vectorStores }) => vectorStores.files.list("vs_1", { filter: "completed" })],
  [
    "vectorStores.fileBatches.create",
    ({ vectorStores }) => vectorStores.fileBatches.create("vs_1", { file_ids: ["f"] }),
  ],
  [
    "moderations.create",
    ({ moderations }) => moderations.create({ model: "omni-moderation-latest", input: "a" }),
  ],
  [
    "audio.speech.create",
    async ({ audio }) => (await audio.speech.create({ model: "tts", voice: "alloy", input: "Hi" })).text(),
  ],
  [
    "audio.transcriptions.create",
    async ({ audio }) => audio.transcriptions.create({ model: "whisper-1", file: await sound() }),
  ],
  [
    "audio.translations.create",
    async ({ audio }) => audio.translations.create({ model: "whisper-1", file: await sound() }),
  ],
  ["images.generate", ({ images }) => images.generate({ model: "gpt-image-1", prompt: "a" })],
  [
    "images.edit",
    async ({ images }) => images.edit({ model: "gpt-image-1", image: await text(), prompt: "a" }),
  ],
  [
    "embeddings.create",
    ({ embeddings }) => embeddings.create({ model: "e", input: ["a"], encoding_format: "float" }),
  ],
];

const ANTHROPIC: readonly Case<Anthropic>[] = [
  ["beta.files.upload", async ({ beta }) => beta.files.upload({ file: await text() })],
  ["beta.files.list", ({ beta }) => beta.files.list({ limit: 2 })],
  ["beta.files.retrieveMetadata", ({ beta }) => beta.files.retrieveMetadata("file_1")],
  ["beta.files.download", async ({ beta }) => (await beta.files.download("file_1")).text()],
  ["beta.files.delete", ({ beta }) => beta.files.delete("file_1")],
  [
    "messages.batches.create",
    ({ messages }) => {
      const params = {
        model: "claude-x",
        max_tokens: 5,
        messages: [{ role: "user" as const, content: "a" }],
      };
      return messages.batches.create({ requests: [{ custom_id: "a", params }] });
    },
  ],
  ["messages.batches.list", ({ messages }) => messages.batches.list({ limit: 2 })],
  ["messages.batches.retrieve", ({ messages }) => messages.batches.retrieve("msgbatch_1")],
  ["messages.batches.cancel", ({ messages }) => messages.batches.cancel("msgbatch_1")],
  ["messages.batches.delete", ({ messages }) => messages.batches.delete("msgbatch_1")],
];

const GOOGLE: readonly Case<GoogleGenAI>[] = [
  ["files.get", ({ files }) => files.get({ name: "files/a" })],
  ["files.list", async ({ files }) => (await files.list({ config: { pageSize: 2 } })).page],
  ["files.delete", ({ files }) => files.delete({ name: "files/a" })],
  [
    "caches.create",
    ({ caches }) => caches.create({ model: "gemini-x", config: { contents: "a", ttl: "60s" } }),
  ],
  ["caches.list", async ({ caches }) => (await caches.list()).page],
  ["caches.get", ({ caches }) => caches.get({ name: "cachedContents/a" })],
  ["caches.update", ({ caches }) => caches.update({ name: "cachedContents/a", config: { ttl: "90s" } })],
  ["caches.delete", ({ caches }) => caches.delete({ name: "cachedContents/a" })],
  ["batches.list", async ({ batches }) => (await batches.list()).page],
  ["batches.get", ({ batches }) => batches.get({ name: "batches/a" })],
  ["batches.cancel", ({ batches }) => batches.cancel({ name: "batches/a" })],
  ["batches.delete", ({ batches }) => batches.delete({ name: "batches/a" })],
  [
    "batches.create",
    ({ batches }) =>
      batches.create({ model: "gemini-x", src: [{ contents: [{ parts: [{ text: "a" }], role: "user" }] }] }),
  ],
  [
    "models.generateVideos",
    ({ models }) => models.generateVideos({ model: "veo-x", source: { prompt: "a" } }),
  ],
  [
    "operations.getVideosOperation",
    ({ operations }) => {
      const operation = new GenerateVideosOperation();
      operation.name = "models/veo-x/operations/1";
      return operations.getVideosOperation({ operation });
    },
  ],
  ["fileSearchStores.create", (client) => client.fileSearchStores.create({ config: { displayName: "a" } })],
  ["fileSearchStores.list", async (client) => (await client.fileSearchStores.list()).page],
  ["fileSearchStores.get", (client) => client.fileSearchStores.get({ name: "fileSearchStores/a" })],
  ["fileSearchStores.delete", (client) => client.fileSearchStores.delete({ name: "fileSearchStores/a" })],
  ["interactions.create", (client) => client.interactions.create({ model: "gemini-x", input: "a" })],
  [
    "interactions.create, streamed",
    async (client) => {
      const stream = await client.interactions.create({ model: "gemini-x", input: "a", stream: true });
      const events: unknown[] = [];
      for await (const event of stream) events.push(event);
      return events;
    },
  ],
  [
    "interactions.create, continued",
    (client) =>
      client.interactions.create({ model: "gemini-x", input: "b", previous_interaction_id: "int_1" }),
  ],
  ["interactions.get", (client) => client.interactions.get("int_1")],
  ["interactions.cancel", (client) => client.interactions.cancel("int_1")],
  ["interactions.delete", (client) => client.interactions.delete("int_1")],
  [
    "fileSearchStores.importFile",
    (client) =>
      client.fileSearchStores.importFile({ fileSearchStoreName: "fileSearchStores/a", fileName: "files/a" }),
  ],
];

const INTERACTION = [
  { event_type: "interaction.created", interaction: { id: "int_1", status: "in_progress" } },
  { event_type: "step.delta", index: 0, delta: { type: "text", text: "Hello" } },
  { event_type: "interaction.completed", interaction: { id: "int_1", status: "completed" } },
];

const respond: Respond = ({ url, body }, response) => {
  if (/\/interactions$/.test(url) && body.includes('"stream":true')) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of INTERACTION)
      response.write(`event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end("data: [DONE]\n\n");
    return;
  }
  const isBytes = /\/content$|\/audio\/speech$/.test(url);
  response.writeHead(200, { "content-type": isBytes ? "application/octet-stream" : "application/json" });
  response.end(isBytes ? "bytes" : JSON.stringify({ id: "a", name: "a", data: [], object: "list" }));
};

describe("a call of the openai SDK through the proxy", () => {
  it.each(OPENAI)("reaches the vendor unchanged: %s", async (_name, call) => {
    vendor.respond = respond;
    await compare((url) => call(new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 })));
  });
});

describe("a call of the Anthropic SDK through the proxy", () => {
  it.each(ANTHROPIC)("reaches the vendor unchanged: %s", async (_name, call) => {
    vendor.respond = respond;
    await compare((url) => call(new Anthropic({ baseURL: url, apiKey: KEY, maxRetries: 0 })));
  });

  it("reads the results of a batch, whose address is the vendor's", async () => {
    vendor.respond = ({ url }, response) => {
      const isBatch = url.startsWith("/v1/messages/batches/") && !url.endsWith("/results");
      response.writeHead(200, { "content-type": isBatch ? "application/json" : "application/x-jsonl" });
      const results_url = `${vendor.url}/v1/messages/batches/msgbatch_1/results`;
      const batch = { id: "msgbatch_1", type: "message_batch", processing_status: "ended", results_url };
      response.end(isBatch ? JSON.stringify(batch) : '{"custom_id":"a","result":{"type":"expired"}}\n');
    };
    const client = new Anthropic({ baseURL: proxy.url, apiKey: "a-key-of-the-proxy", maxRetries: 0 });
    const batch = await client.messages.batches.retrieve("msgbatch_1");
    expect(batch.results_url).toBe(`${proxy.url}/v1/messages/batches/msgbatch_1/results`);
    const from = vendor.hits.length;
    const results: unknown[] = [];
    for await (const each of await client.messages.batches.results("msgbatch_1")) results.push(each);
    expect(results).toEqual([{ custom_id: "a", result: { type: "expired" } }]);
    expect(vendor.hits.slice(from).map(({ headers }) => headers["x-api-key"])).toEqual([KEY, KEY]);
  });
});

describe("a call of the Google SDK through the proxy", () => {
  it.each(GOOGLE)("reaches the vendor unchanged: %s", async (_name, call) => {
    vendor.respond = respond;
    await compare((url) => call(new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: url } })));
  });

  it.each(["files", "fileSearchStores"] as const)(
    "uploads a file in several parts, each to the proxy: %s",
    async (api) => {
      const bytes = Buffer.alloc(9 * 1024 * 1024, "0123456789");
      vendor.respond = ({ headers, url }, response) => {
        const command = headers["x-goog-upload-command"];
        const status = String(command).includes("finalize") ? "final" : "active";
        if (command === "start") response.setHeader("x-goog-upload-url", `${vendor.url}${url}?upload_id=u1`);
        response.writeHead(200, { "content-type": "application/json", "x-goog-upload-status": status });
        const file = { name: "files/a", sizeBytes: String(bytes.length) };
        response.end(JSON.stringify(api === "files" ? { file } : { name: "operations/1", done: true }));
      };
      const upload = async (url: string) => {
        const from = vendor.hits.length;
        const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: url } });
        const file = new Blob([bytes]);
        const config = { mimeType: "text/plain", displayName: "a" };
        const result =
          api === "files"
            ? await client.files.upload({ file, config })
            : await client.fileSearchStores.uploadToFileSearchStore({
                fileSearchStoreName: "fileSearchStores/a",
                file,
                config,
              });
        return { result: withoutTransport(result), hits: vendor.hits.slice(from) };
      };
      const [direct, relayed] = [await upload(vendor.url), await upload(proxy.url)];
      const shown = (hits: readonly Hit[]) =>
        hits.map((hit) => ({ ...seen(hit), body: createHash("sha256").update(hit.body).digest("hex") }));
      // The vendor's address of the upload is replaced by the proxy's, which needs the key as every call does.
      const keyless = (hits: readonly Hit[]) => shown(hits).map((hit) => ({ ...hit, key: undefined }));
      expect(keyless(relayed.hits)).toEqual(keyless(direct.hits));
      expect(relayed.hits.map(({ headers }) => headers["x-goog-upload-command"])).toEqual([
        "start",
        "upload",
        "upload, finalize",
      ]);
      expect(relayed.hits.map(({ headers }) => headers["x-goog-api-key"])).toEqual([KEY, KEY, KEY]);
      expect(Buffer.concat(relayed.hits.slice(1).map(({ body }) => body)).equals(bytes)).toBe(true);
      expect(relayed.result).toBe(direct.result);
    },
  );

  it("may begin a batch with the models that its key is limited to", async () => {
    vendor.respond = respond;
    const key = "sk-limited-0123456789abcdef";
    const limited = await startTestProxy({
      upstreams: { google: { dialect: "generative-language", base_url: vendor.url, api_key: KEY } },
      auth_mode: "strict",
      api_keys: [
        { name: "limited", sha256: createHash("sha256").update(key).digest("hex"), models: ["gemini-x"] },
      ],
    });
    const begin = async (model: string, method: string) => {
      const url = `${limited.url}/v1beta/models/${model}:${method}`;
      const headers = { "x-goog-api-key": key, "content-type": "application/json" };
      const response = await fetch(url, { method: "POST", headers, body: "{}" });
      await response.text();
      return response.status;
    };
    const methods = [
      "batchGenerateContent",
      "asyncBatchEmbedContent",
      "predict",
      "predictLongRunning",
      "invented",
    ];
    const statuses = await Promise.all(methods.map((method) => begin("gemini-x", method)));
    expect([statuses, await begin("gemini-y", "batchGenerateContent")]).toEqual([
      [200, 200, 200, 200, 404],
      403,
    ]);
    await limited.close();
  });
});

describe("a call of rerank, as Cohere, Jina and vLLM define it", () => {
  it("reaches the vendor unchanged, and its usage is recorded", async () => {
    vendor.respond = (_hit, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const results = [{ index: 1, relevance_score: 0.9, document: { text: "b" } }];
      response.end(JSON.stringify({ id: "r", results, usage: { prompt_tokens: 7, total_tokens: 7 } }));
    };
    await compare(async (url) => {
      const response = await fetch(`${url}/v1/rerank`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
        body: '{"model": "rerank-v3.5",  "query":"q", "documents":["a","b"], "top_n":1}',
      });
      return [response.status, await response.text()];
    });
    expect(proxy.records.at(-1)).toMatchObject({
      route: "/v1/rerank",
      model: "rerank-v3.5",
      usage: { input: { total: 7 } },
    });
  });
});
