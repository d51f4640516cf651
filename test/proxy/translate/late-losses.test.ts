import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { events, type FakeUpstream, json, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";

let upstream: FakeUpstream;
let proxy: TestProxy;
let strict: TestProxy;
beforeAll(async () => {
  upstream = await startFakeUpstream();
  const dialects = ["messages", "chat-completions", "responses", "generative-language"];
  const upstreams = dialects.map((dialect) => [dialect, { dialect, base_url: upstream.url, models: ["m"] }]);
  proxy = await startTestProxy({ upstreams: Object.fromEntries(upstreams) });
  strict = await startTestProxy({ upstreams: Object.fromEntries(upstreams), strict_translation: true });
});
afterAll(async () => {
  await Promise.all([proxy.close(), strict.close()]);
  await upstream.close();
});

const CLIENTS = {
  "chat-completions": ["/v1/chat/completions", { messages: [{ role: "user", content: "x" }] }],
  responses: ["/v1/responses", { input: "x" }],
  messages: ["/v1/messages", { max_tokens: 9, messages: [{ role: "user", content: "x" }] }],
  "generative-language": ["/v1beta/models/", { contents: [{ role: "user", parts: [{ text: "x" }] }] }],
} as const;
type Client = keyof typeof CLIENTS;

interface Received {
  readonly status: number;
  readonly text: string;
  readonly response: IncomingMessage;
}

async function ask(client: Client, from: string, more: object = {}, server = proxy): Promise<Received> {
  const [path, body] = CLIENTS[client];
  const isGoogle = client === "generative-language";
  const method = "array" in more ? "streamGenerateContent" : "streamGenerateContent?alt=sse";
  const sent = request(`${server.url}${path}${isGoogle ? `${from}%2Fm:${method}` : ""}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  sent.end(JSON.stringify(isGoogle ? body : { model: `${from}/m`, ...body, ...more }));
  const [response]: [IncomingMessage] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), response };
}

const named = (value: { readonly type: string }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

/** A stream of the messages dialect with a block that no other dialect has. */
const LOSSY = [
  { type: "message_start", message: { id: "msg_1", model: "m", usage: { input_tokens: 1 } } },
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "mcp_tool_use", id: "mcptoolu_1", name: "t", server_name: "s", input: {} },
  },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "hello" } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
].map(named);

describe("losses of a stream after its headers", () => {
  it.each(["chat-completions", "responses", "generative-language"] as const)(
    "are sent in a trailer, and in a comment if clients accept comments (%s)",
    async (client) => {
      upstream.respond = events(LOSSY);
      const { status, text, response } = await ask(client, "messages", { stream: true });
      expect([status, response.headers["trailer"]]).toEqual([200, "x-sallyport-losses"]);
      const lost = response.trailers["x-sallyport-losses"];
      expect(lost).toMatch(/^answer-/);
      expect(text.includes(`: x-sallyport-losses: ${lost}\n\n`)).toBe(client !== "generative-language");
    },
  );

  it("are sent in a trailer of a stream that is one JSON array", async () => {
    upstream.respond = events(LOSSY);
    const { text, response } = await ask("generative-language", "messages", { array: true });
    expect(JSON.parse(text)).toEqual(expect.any(Array));
    expect(response.trailers["x-sallyport-losses"]).toMatch(/^answer-/);
  });

  it.each(["chat-completions", "responses", "generative-language"] as const)(
    "end the stream with an error under strict_translation (%s)",
    async (client) => {
      upstream.respond = events(LOSSY);
      const { status, text } = await ask(client, "messages", { stream: true }, strict);
      expect(status).toBe(200);
      expect(text).toContain("hello");
      expect(text).toContain("strict_translation refuses a call that cannot be translated without loss.");
      expect(text).not.toMatch(/\[DONE\]|response\.completed|"finishReason"/);
    },
  );

  it("cause no trailer if there are none", async () => {
    upstream.respond = events(LOSSY.filter((_, index) => index === 0 || index > 2));
    const { text, response } = await ask("chat-completions", "messages", { stream: true });
    expect(text).toContain("hello");
    expect(response.trailers).toEqual({});
  });
});

describe("the service tier of a call", () => {
  const chatUsage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const responses = {
    "chat-completions": (tier: string) => ({
      id: "c",
      service_tier: tier,
      choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" }],
      usage: chatUsage,
    }),
    responses: (tier: string) => ({
      id: "resp_1",
      status: "completed",
      service_tier: tier,
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "x" }] }],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    }),
    messages: (tier: string) => ({
      type: "message",
      id: "msg_1",
      content: [{ type: "text", text: "x" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1, service_tier: tier },
    }),
  };
  it.each([
    ["chat-completions", "flex", "responses", "flex"],
    ["chat-completions", "priority", "messages", "priority"],
    ["chat-completions", "default", "messages", "standard"],
    ["chat-completions", "on_demand", "responses", "auto"],
    ["responses", "default", "chat-completions", "default"],
    ["responses", "scale", "messages", "priority"],
    ["messages", "standard", "chat-completions", "default"],
    ["messages", "standard", "responses", "default"],
    ["messages", "priority", "responses", "priority"],
    ["messages", "batch", "chat-completions", undefined],
  ] as const)("of %s, %s, is returned to %s as %s", async (from, tier, client, expected) => {
    upstream.respond = json(responses[from](tier));
    const { text } = await ask(client, from);
    const response = JSON.parse(text);
    expect(client === "messages" ? response.usage.service_tier : response.service_tier).toBe(expected);
  });

  it("is returned at the end of a stream", async () => {
    const chunk = (more: object) => `data: ${JSON.stringify({ id: "c", service_tier: "flex", ...more })}\n\n`;
    upstream.respond = events([
      chunk({ choices: [{ index: 0, delta: { content: "x" }, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
      chunk({ choices: [], usage: chatUsage }),
      "data: [DONE]\n\n",
    ]);
    const { text } = await ask("responses", "chat-completions", { stream: true });
    const completed = JSON.parse(/event: response.completed\ndata: (.*)/.exec(text)?.[1] ?? "{}");
    expect(completed.response.service_tier).toBe("flex");
    upstream.respond = events([
      named({ type: "response.created", ...{ response: { id: "r", service_tier: "auto" } } }),
      named({ type: "response.completed", ...{ response: responses.responses("priority") } }),
    ]);
    const streaming = { stream: true, stream_options: { include_usage: true } };
    expect((await ask("chat-completions", "responses", streaming)).text).toContain(
      '"choices":[],"service_tier":"priority","usage"',
    );
  });
});

describe("a token count for a model that does not exist", () => {
  const count = async (from: string) =>
    fetch(`${proxy.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: `${from}/m`, messages: [{ role: "user", content: "x" }] }),
    });

  it("returns the upstream's 404 in the client's dialect", async () => {
    upstream.respond = json(
      { error: { code: 404, message: "models/m is not found", status: "NOT_FOUND" } },
      404,
    );
    const response = await count("generative-language");
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { type: "error", error: { type: "not_found_error", message: "models/m is not found" } },
    ]);
  });

  it("returns an estimate if the upstream has no route for counts", async () => {
    upstream.respond = json({ error: { message: "Not Found" } }, 404);
    const response = await count("responses");
    expect([response.status, response.headers.get("x-sallyport-estimated")]).toEqual([200, "true"]);
  });
});
