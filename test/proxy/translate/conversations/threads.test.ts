import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { createMemoryConversations } from "../../../../src/proxy/translate/conversations/conversation-store.ts";
import { type FakeUpstream, startFakeUpstream } from "../../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../../support/start-proxy.ts";
import {
  chatResponse,
  chatStream,
  type Json,
  messagesResponse,
  messagesStream,
  runScene,
} from "../harness.ts";

const KEY = "sk-clients-0123456789abcdef";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a proxy and a chat-completions vendor whose model calls a tool once and returns the number of messages. */
async function setUp(): Promise<{ proxy: TestProxy; upstream: FakeUpstream; client: Anthropic }> {
  const upstream = await startFakeUpstream((hit, response) => {
    const { messages, stream } = JSON.parse(hit.body.toString()) as { messages: Json[]; stream?: boolean };
    const hasToolResult = messages.some(({ role }) => role === "tool");
    const call = { id: "c1", type: "function", function: { name: "add", arguments: '{"n":1}' } };
    const message = hasToolResult ? { content: `of ${messages.length}` } : { tool_calls: [call] };
    const finish = hasToolResult ? "stop" : "tool_calls";
    const delta = hasToolResult ? message : { tool_calls: [{ ...call, index: 0 }] };
    response.setHeader("content-type", stream ? "text/event-stream" : "application/json");
    response.end(stream ? chatStream([delta], finish) : JSON.stringify(chatResponse(message, finish)));
  });
  closers.push(upstream.close);
  const proxy = await startTestProxy({
    auth_mode: "strict",
    api_keys: [KEY, "sk-others-0123456789abcdef"],
    upstreams: { main: { dialect: "chat-completions", base_url: upstream.url } },
    models: [{ match: "*", upstream: "main" }],
  });
  closers.push(proxy.close);
  const client = new Anthropic({ apiKey: KEY, baseURL: proxy.url, maxRetries: 0 });
  return { proxy, upstream, client };
}

const tool = {
  name: "add",
  description: "Adds one.",
  input_schema: { type: "object" as const, properties: { n: { type: "number" } } },
  run: async () => "the sum is two",
  parse: (input: unknown) => input,
};
const question = {
  model: "m",
  max_tokens: 99,
  system: "Be brief.",
  tools: [tool],
  messages: [{ role: "user" as const, content: "One and one?" }],
};
const messagesOf = (hit: { readonly body: Buffer } | undefined) =>
  (JSON.parse(hit?.body.toString() ?? "{}") as { messages: Json[] }).messages;

describe("threads of the messages dialect", () => {
  it.each([false, true])("keep the conversation of the SDK's tool runner (streamed: %s)", async (stream) => {
    const { upstream, client } = await setUp();
    const runner = client.beta.messages.toolRunner({ ...question, stream });
    const last = await runner.runUntilDone();
    expect(last.content).toMatchObject([{ type: "text", text: "of 4" }]);
    expect(upstream.hits).toHaveLength(2);
    expect(messagesOf(upstream.hits[1])).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user", content: "One and one?" },
      { role: "assistant", tool_calls: [{ id: "c1" }] },
      { role: "tool", tool_call_id: "c1", content: "the sum is two" },
    ]);
    expect(JSON.parse(upstream.hits[1]?.body.toString() ?? "")).toMatchObject({
      tools: [{ function: { name: "add" } }],
    });
  });

  it("grow with each turn", async () => {
    const { upstream, client } = await setUp();
    const thread = client.beta.messages.thread({ model: "m", max_tokens: 99 });
    for (const content of ["one", "two", "three"]) await thread.send({ role: "user", content });
    expect(messagesOf(upstream.hits[2]).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
      "assistant",
      "user",
    ]);
  });

  it("belong to the key that created them", async () => {
    const { proxy, client } = await setUp();
    const first = await client.beta.messages.create({ ...question, thread: { type: "create" } });
    const other = new Anthropic({
      apiKey: "sk-others-0123456789abcdef",
      baseURL: proxy.url,
      maxRetries: 0,
    });
    const thread = { type: "continue" as const, previous_message_id: first.id };
    const next = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "Hi" }], thread };
    await expect(other.beta.messages.create(next)).rejects.toMatchObject({ status: 404 });
    await expect(client.beta.messages.create(next)).resolves.toBeDefined();
    const asResponse = await fetch(`${proxy.url}/v1/responses/${first.id}`, {
      headers: { "x-api-key": KEY },
    });
    expect(asResponse.status).toBe(404);
  });

  it("are sent completely again by the SDK after eviction", async () => {
    const { upstream, client } = await setUp();
    const thread = client.beta.messages.thread({ model: "m", max_tokens: 99 });
    await thread.send({ role: "user", content: "one" });
    // Another proxy simulates a restart.
    const again = await startTestProxy({
      upstreams: { main: { dialect: "chat-completions", base_url: upstream.url } },
      models: [{ match: "*", upstream: "main" }],
    });
    closers.push(again.close);
    client.baseURL = again.url;
    await thread.send({ role: "user", content: "two" });
    expect(upstream.hits).toHaveLength(2);
    expect(messagesOf(upstream.hits[1])).toMatchObject([
      { role: "user", content: "one" },
      { role: "assistant" },
      { role: "tool" },
      { role: "user", content: "two" },
    ]);
  });

  it("return the vendor's error if they are unknown", async () => {
    const body = {
      model: "m",
      max_tokens: 9,
      messages: [{ role: "user", content: "Hi" }],
      thread: { type: "continue", previous_message_id: "msg_unknown" },
    };
    const received = await runScene({
      client: "messages",
      upstream: "responses",
      body,
      conversations: createMemoryConversations(),
    });
    expect(received.status).toBe(404);
    expect(received.json).toMatchObject({
      type: "error",
      error: { type: "not_found_error", details: { error_code: "thread_not_found" } },
    });
    expect(received.path).toBe("");
  });

  it("continue after an unfinished response without a new message", async () => {
    const conversations = createMemoryConversations();
    const start = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Count" }] };
    for (const stream of [false, true]) {
      const blocks = [{ type: "text", text: "1, 2" }];
      const created = await runScene({
        client: "messages",
        upstream: "messages",
        body: { ...start, thread: { type: "create" }, stream },
        response: stream
          ? messagesStream([
              { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
              { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "1, 2" } },
              { type: "content_block_stop", index: 0 },
            ])
          : messagesResponse(blocks),
        conversations,
      });
      const message = stream ? created.data[0]?.["message"] : created.json;
      const { id } = message as Json;
      const next = await runScene({
        client: "messages",
        upstream: "messages",
        body: { ...start, messages: [], thread: { type: "continue", previous_message_id: id } },
        conversations,
      });
      expect(next.sent["messages"]).toMatchObject([{ role: "user" }, { role: "assistant", content: blocks }]);
      expect(next.sent).not.toHaveProperty("thread");
    }
  });
});
