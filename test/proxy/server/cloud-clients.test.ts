import AnthropicBedrock from "@anthropic-ai/bedrock-sdk";
import AnthropicVertex from "@anthropic-ai/vertex-sdk";
import { afterEach, describe, expect, it } from "vitest";
import { EventStreamDecoder } from "../../../src/proxy/upstream/platforms/event-stream.ts";
import {
  events,
  type FakeUpstream,
  type Hit,
  json,
  type Respond,
  startFakeUpstream,
} from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";
import { chatResponse } from "../translate/harness.ts";

const BEDROCK_ID = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const VERTEX_ID = "claude-sonnet-4-5@20250929";
const KEY = "sk-cloud-client-0123456789";
const NAME = "claude-sonnet-4-5-20250929";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: NAME,
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 4 },
};
const sse = (list: readonly { readonly type: string }[]): Respond =>
  events(list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
const streamed = [
  { type: "message_start", message: { ...message, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
  { type: "message_stop" },
];
const respond: Respond = (hit, response) =>
  (bodyOf(hit)["stream"] === true ? sse(streamed) : json(message))(hit, response);

const bodyOf = (hit: Hit | undefined) => JSON.parse(hit?.body.toString() ?? "{}") as Record<string, unknown>;
const hi = { max_tokens: 50, messages: [{ role: "user" as const, content: "Hi" }] };

async function behind(
  responder: Respond = respond,
  settings: (fake: FakeUpstream) => object = ({ url }) => ({
    upstreams: { anthropic: { dialect: "messages", base_url: url, api_key: "upstream-key-1" } },
  }),
): Promise<{ readonly fake: FakeUpstream; readonly proxy: TestProxy }> {
  const fake = await startFakeUpstream(responder);
  closers.push(fake.close);
  const proxy = await startTestProxy(settings(fake));
  closers.push(proxy.close);
  return { fake, proxy };
}

const bedrockSdk = (url: string, options: object = {}) =>
  new AnthropicBedrock({
    baseURL: url,
    awsRegion: "eu-west-3",
    awsAccessKey: "AKIACLIENT",
    awsSecretKey: "client-secret",
    awsSessionToken: "client-session",
    maxRetries: 0,
    ...options,
  });

const vertexSdk = (url: string) =>
  new AnthropicVertex({
    baseURL: `${url}/v1`,
    region: "europe-west1",
    projectId: "acme",
    maxRetries: 0,
    authClient: {
      projectId: "acme",
      getRequestHeaders: async () =>
        new Headers({ authorization: "Bearer ya29.google", "x-goog-user-project": "acme" }),
    } as never,
  });

describe("a client of Claude on Amazon Bedrock", () => {
  it("is served by an upstream of Anthropic, under Anthropic's name of the model", async () => {
    const { fake, proxy } = await behind();
    const response = await bedrockSdk(proxy.url).messages.create(
      { model: BEDROCK_ID, ...hi },
      { headers: { "anthropic-beta": "context-1m-2025-08-07,effort-2025-11-24" } },
    );
    expect(response).toMatchObject(message);
    const [hit] = fake.hits;
    expect([hit?.url, bodyOf(hit)]).toEqual(["/v1/messages", { ...hi, model: NAME, stream: false }]);
    expect(hit?.headers).toMatchObject({
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "context-1m-2025-08-07,effort-2025-11-24",
      "x-api-key": "upstream-key-1",
    });
    const foreign = Object.keys(hit?.headers ?? {}).filter((name) => /^x-amz|^authorization/.test(name));
    expect(foreign).toEqual([]);
    expect(proxy.records.at(-1)).toMatchObject({ model: NAME, usage: { output: { total: 4 } } });
  });

  it.each([
    ["bedrock-2023-05-31", "2023-06-01"],
    ["2026-10-21", "2026-10-21"],
  ])("sends the version %s, which Anthropic receives as %s", async (anthropic_version, version) => {
    const { fake, proxy } = await behind();
    const body = JSON.stringify({ anthropic_version, ...hi });
    const counted = JSON.stringify({
      input: { invokeModel: { body: Buffer.from(body).toString("base64") } },
    });
    for (const [operation, sent] of [
      ["invoke", body],
      ["count-tokens", counted],
    ])
      await fetch(`${proxy.url}/model/${encodeURIComponent(BEDROCK_ID)}/${operation}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: sent ?? "",
      });
    expect(fake.hits.map(({ headers }) => headers["anthropic-version"])).toEqual([version, version]);
  });

  it("receives streams as AWS's event streams, from upstreams of every dialect", async () => {
    const { proxy } = await behind();
    const stream = bedrockSdk(proxy.url).messages.stream({ model: BEDROCK_ID, ...hi });
    expect(await stream.finalMessage()).toMatchObject({
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      usage: { output_tokens: 4 },
    });
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
    const chat = await behind(
      events([
        `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: "Hi!" } }] })}\n\n`,
        `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`,
        "data: [DONE]\n\n",
      ]),
      ({ url }) => ({
        upstreams: { chat: { dialect: "chat-completions", base_url: url } },
        models: [{ match: "*claude*", upstream: "chat", model: "gpt-5" }],
      }),
    );
    const translated = bedrockSdk(chat.proxy.url).messages.stream({ model: BEDROCK_ID, ...hi });
    expect(await translated.finalText()).toBe("Hi!");
    expect(bodyOf(chat.fake.hits[0])["model"]).toBe("gpt-5");
  });

  it("receives token counts in Bedrock's form", async () => {
    const { proxy } = await behind();
    const invoke = (operation: string) =>
      fetch(`${proxy.url}/model/${encodeURIComponent(BEDROCK_ID)}/${operation}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ anthropic_version: "bedrock-2023-05-31", ...hi }),
      });
    const whole = await invoke("invoke");
    expect(whole.headers.get("x-amzn-bedrock-input-token-count")).toBe("9");
    const stream = await invoke("invoke-with-response-stream");
    expect(stream.headers.get("content-type")).toBe("application/vnd.amazon.eventstream");
    const messages = new EventStreamDecoder().push(Buffer.from(await stream.arrayBuffer()));
    const chunks = messages.map(({ payload }) =>
      JSON.parse(Buffer.from(JSON.parse(payload.toString()).bytes, "base64").toString()),
    );
    expect(chunks.at(-1)).toMatchObject({
      type: "message_stop",
      "amazon-bedrock-invocationMetrics": { inputTokenCount: 9, outputTokenCount: 4 },
    });
  });

  it("receives errors as exceptions, before and within a stream", async () => {
    const limited = await behind(
      json({ type: "error", error: { type: "rate_limit_error", message: "Slow down" } }, 429, {
        "retry-after": "7",
      }),
    );
    const error = await bedrockSdk(limited.proxy.url)
      .messages.create({ model: BEDROCK_ID, ...hi })
      .catch((each: unknown) => each);
    expect(error).toMatchObject({ status: 429, error: { message: "Slow down" } });
    const { headers } = error as { headers: Headers };
    expect([headers.get("x-amzn-errortype"), headers.get("retry-after")]).toEqual([
      "ThrottlingException",
      "7",
    ]);
    const broken = await behind(
      sse([
        ...streamed.slice(0, 4),
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } as { type: string },
      ]),
    );
    const stream = bedrockSdk(broken.proxy.url).messages.stream({ model: BEDROCK_ID, ...hi });
    await expect(stream.finalMessage()).rejects.toThrow(/serviceUnavailableException.*Overloaded/);
  });

  it("can count tokens", async () => {
    const { fake, proxy } = await behind(json({ input_tokens: 12 }));
    const body = Buffer.from(JSON.stringify({ anthropic_version: "bedrock-2023-05-31", ...hi }));
    const response = await fetch(`${proxy.url}/model/${BEDROCK_ID}/count-tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: { invokeModel: { body: body.toString("base64") } } }),
    });
    expect(await response.json()).toEqual({ inputTokens: 12 });
    expect([fake.hits[0]?.url, bodyOf(fake.hits[0])]).toEqual([
      "/v1/messages/count_tokens",
      { model: NAME, messages: hi.messages },
    ]);
  });

  it("needs a key if keys are required, and receives errors in AWS's form", async () => {
    const { fake, proxy } = await behind(respond, ({ url }) => ({
      auth_mode: "strict",
      api_keys: ["sk-client-key-of-the-proxy"],
      upstreams: { anthropic: { dialect: "messages", base_url: url, api_key: "upstream-key-1" } },
    }));
    const refused = await fetch(`${proxy.url}/model/${BEDROCK_ID}/invoke`, { method: "POST", body: "{}" });
    expect([refused.status, refused.headers.get("x-amzn-errortype"), await refused.json()]).toEqual([
      401,
      "UnrecognizedClientException",
      { message: expect.stringContaining("A valid API key") },
    ]);
    const sdk = bedrockSdk(proxy.url, { apiKey: "sk-client-key-of-the-proxy" });
    expect(await sdk.messages.create({ model: BEDROCK_ID, ...hi })).toMatchObject(message);
    expect(fake.hits.length).toBe(1);
  });

  it("keeps its name of the model if a rule renames the model, and for upstreams on Bedrock", async () => {
    const { fake, proxy } = await behind(respond, ({ url }) => ({
      upstreams: {
        anthropic: { dialect: "messages", base_url: url },
        aws: { vendor: "bedrock", base_url: url, api_key: "bedrock-key-1", aws: { region: "eu-west-3" } },
      },
      models: [
        { match: "eu.anthropic.claude-sonnet*", upstream: "anthropic", model: "claude-opus-4-6" },
        { match: "*", upstream: "aws" },
      ],
    }));
    await bedrockSdk(proxy.url).messages.create({ model: BEDROCK_ID, ...hi });
    expect(bodyOf(fake.hits[0])["model"]).toBe("claude-opus-4-6");
    await bedrockSdk(proxy.url).messages.create({ model: "us.anthropic.claude-opus-4-6-v1", ...hi });
    expect(fake.hits[1]?.url).toBe("/model/us.anthropic.claude-opus-4-6-v1/invoke");
  });
});

describe("a client of Claude on Google Vertex AI", () => {
  it("receives complete responses, streams and token counts from an upstream of Anthropic", async () => {
    const { fake, proxy } = await behind((hit, response) =>
      (hit.url.endsWith("count_tokens") ? json({ input_tokens: 12 }) : respond)(hit, response),
    );
    const sdk = vertexSdk(proxy.url);
    expect(await sdk.messages.create({ model: VERTEX_ID, ...hi })).toMatchObject(message);
    expect(await sdk.messages.stream({ model: VERTEX_ID, ...hi }).finalText()).toBe("Hello");
    const { messages } = hi;
    expect(await sdk.messages.countTokens({ model: VERTEX_ID, messages })).toEqual({ input_tokens: 12 });
    expect(
      fake.hits.map((hit) => [hit.url, bodyOf(hit)["model"], "anthropic_version" in bodyOf(hit)]),
    ).toEqual([
      ["/v1/messages", NAME, false],
      ["/v1/messages", NAME, false],
      ["/v1/messages/count_tokens", NAME, false],
    ]);
  });

  it("does not send its Google token to an upstream that expects the client's key", async () => {
    const { fake, proxy } = await behind(respond, ({ url }) => ({
      upstreams: { anthropic: { dialect: "messages", base_url: url, credentials: "client" } },
    }));
    await vertexSdk(proxy.url).messages.create({ model: VERTEX_ID, ...hi });
    expect(fake.hits[0]?.headers).not.toHaveProperty("authorization");
    expect(fake.hits[0]?.headers).not.toHaveProperty("x-goog-user-project");
  });

  it("does not send its Google token there if another header has a key of the proxy", async () => {
    const { fake, proxy } = await behind(respond, ({ url }) => ({
      auth_mode: "strict",
      api_keys: [KEY],
      upstreams: { anthropic: { dialect: "messages", base_url: url, credentials: "client" } },
    }));
    const headers = { "x-gen-api-key": KEY };
    await vertexSdk(proxy.url).messages.create({ model: VERTEX_ID, ...hi }, { headers });
    expect(fake.hits[0]?.headers).not.toHaveProperty("authorization");
    expect(fake.hits[0]?.headers).not.toHaveProperty("x-gen-api-key");
  });

  it("receives Anthropic's errors, and 404 for other methods", async () => {
    const { proxy } = await behind(
      json(
        { type: "error", error: { type: "invalid_request_error", message: "max_tokens: too large" } },
        400,
      ),
    );
    await expect(vertexSdk(proxy.url).messages.create({ model: VERTEX_ID, ...hi })).rejects.toMatchObject({
      status: 400,
      error: { error: { type: "invalid_request_error", message: "max_tokens: too large" } },
    });
    const path = "/v1/projects/acme/locations/global/publishers/anthropic/models/claude:predict";
    const response = await fetch(`${proxy.url}${path}`, { method: "POST", body: "{}" });
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining("Unknown method"),
    ]);
  });

  it("can be served by a model of another vendor", async () => {
    const { proxy } = await behind(json(chatResponse({ content: "Hi!" })), ({ url }) => ({
      upstreams: { chat: { dialect: "chat-completions", base_url: url } },
      models: [{ match: "claude-*", upstream: "chat" }],
    }));
    const response = await vertexSdk(proxy.url).messages.create({ model: VERTEX_ID, ...hi });
    expect(response.content).toMatchObject([{ type: "text", text: "Hi!" }]);
  });
});
