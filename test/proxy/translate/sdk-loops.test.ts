import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dialect } from "../../../src/proxy/exchange/parts.ts";
import { readStreamFixture } from "../../support/exchange.ts";
import { events, type FakeUpstream, startFakeUpstream } from "../../support/fake-upstream.ts";
import { startTestProxy, type TestProxy } from "../../support/start-proxy.ts";
import { type Json, sse } from "./harness.ts";

/**
 * The vendors' own SDKs as clients of every other vendor: a streamed response with two parallel tool calls, their
 * results, and a streamed final response. The vendors' streams are recordings.
 */
const dialects = ["chat-completions", "responses", "messages", "generative-language"] as const;
type UpstreamDialect = (typeof dialects)[number];

const calls: Record<UpstreamDialect, string> = {
  "chat-completions": "own-parallel-interleaved.chunks.txt",
  responses: "own-parallel-tools.chunks.txt",
  messages: "own-parallel-tools.chunks.txt",
  "generative-language": "own-parallel-tools.chunks.txt",
};
const schema = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const KEY = "sk-clients-0123456789abcdef";

const upstreams = new Map<UpstreamDialect, FakeUpstream>();
let proxy: TestProxy;

function recording(dialect: Dialect, name: string): string {
  return sse(
    dialect,
    readStreamFixture(dialect, name).map((line) => JSON.parse(line) as Json),
  );
}

beforeAll(async () => {
  for (const dialect of dialects) {
    const upstream = await startFakeUpstream((hit, response) => {
      // The second turn contains the tool results.
      const name = hit.body.includes("sunny in") ? "own-tiny.chunks.txt" : calls[dialect];
      return events([recording(dialect, name)])(hit, response);
    });
    upstreams.set(dialect, upstream);
  }
  proxy = await startTestProxy({
    auth_mode: "strict",
    api_keys: [KEY],
    upstreams: Object.fromEntries(
      dialects.map((dialect) => [
        dialect,
        { dialect, base_url: upstreams.get(dialect)?.url, api_key: "sk-vendor" },
      ]),
    ),
    models: dialects.map((dialect) => ({ match: `at-${dialect}`, upstream: dialect })),
  });
});
afterAll(async () => {
  await proxy.close();
  for (const upstream of upstreams.values()) await upstream.close();
  expect(proxy.internal).toEqual([]);
});

const others = (own: Dialect) => dialects.filter((dialect) => dialect !== own);
const bodies = (dialect: UpstreamDialect) =>
  (upstreams.get(dialect)?.hits ?? []).map((hit) => hit.body.toString());
const positions = (inputs: unknown[]) => inputs.map((input) => (input as { city: string }).city);

/** Checks the result of a loop, which is the same for every SDK. */
function expectLoop(dialect: UpstreamDialect, cities: string[], last: string): void {
  expect(cities).toEqual(["東京", "São Paulo"]);
  expect(last).toBe("é🙂東");
  expect(bodies(dialect).at(-1)).toMatch(/sunny in 東京[\s\S]*sunny in São Paulo/);
}

describe("the openai SDK, chat completions", () => {
  it.each(others("chat-completions"))("runs a tool loop with %s", async (dialect) => {
    const client = new OpenAI({ apiKey: KEY, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
    const tools = [{ type: "function" as const, function: { name: "get_weather", parameters: schema } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather?" }];
    const model = `at-${dialect}`;
    const first = await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    const message = first.choices[0]?.message;
    const called = (message?.tool_calls ?? []).filter((call) => call.type === "function");
    const inputs = called.map((call) => JSON.parse(call.function.arguments));
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    if (message) messages.push(message);
    for (const [index, call] of called.entries()) {
      messages.push({ role: "tool", tool_call_id: call.id, content: `sunny in ${inputs[index].city}` });
    }
    const stream = client.chat.completions.stream({
      model,
      messages,
      tools,
      stream_options: { include_usage: true },
    });
    const second = await stream.finalChatCompletion();
    expect(second.usage?.completion_tokens).toBeGreaterThan(0);
    expectLoop(dialect, positions(inputs), second.choices[0]?.message.content ?? "");
  });
});

describe("the openai SDK, responses", () => {
  it.each(others("responses"))("runs a tool loop with %s", async (dialect) => {
    const client = new OpenAI({ apiKey: KEY, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
    const tools = [{ type: "function" as const, name: "get_weather", parameters: schema, strict: false }];
    const model = `at-${dialect}`;
    const first = await client.responses.stream({ model, input: "Weather?", tools }).finalResponse();
    const called = first.output.filter((item) => item.type === "function_call");
    const inputs = called.map((call) => JSON.parse(call.arguments));
    const input = called.map((call, index) => ({
      type: "function_call_output" as const,
      call_id: call.call_id,
      output: `sunny in ${inputs[index].city}`,
    }));
    // The request contains only the id of the earlier turn, because the proxy stores the conversation. The upstream
    // does not.
    const second = await client.responses
      .stream({ model, previous_response_id: first.id, input, tools })
      .finalResponse();
    expect(second.status).toBe("completed");
    expectLoop(dialect, positions(inputs), second.output_text);
  });
});

describe("the anthropic SDK", () => {
  it.each(others("messages"))("runs a tool loop with %s", async (dialect) => {
    const client = new Anthropic({ apiKey: KEY, baseURL: proxy.url, maxRetries: 0 });
    const tools = [{ name: "get_weather", input_schema: schema }];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Weather?" }];
    const model = `at-${dialect}`;
    const first = await client.messages.stream({ model, max_tokens: 500, messages, tools }).finalMessage();
    expect(first.stop_reason).toBe("tool_use");
    const called = first.content.filter((block) => block.type === "tool_use");
    messages.push({ role: "assistant", content: first.content });
    messages.push({
      role: "user",
      content: called.map((block) => ({
        type: "tool_result" as const,
        tool_use_id: block.id,
        content: `sunny in ${(block.input as { city: string }).city}`,
      })),
    });
    const second = await client.messages.stream({ model, max_tokens: 500, messages, tools }).finalMessage();
    expect(second.usage.output_tokens).toBeGreaterThan(0);
    const text = second.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    expectLoop(dialect, positions(called.map((block) => block.input)), text);
  });
});

describe("the google SDK", () => {
  it.each(others("generative-language"))("runs a tool loop with %s", async (dialect) => {
    const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: proxy.url } });
    const config = {
      tools: [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: schema }] }],
    };
    const model = `at-${dialect}`;
    const asked = { role: "user", parts: [{ text: "Weather?" }] };
    const parts = [];
    for await (const chunk of await client.models.generateContentStream({
      model,
      contents: [asked],
      config,
    })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    }
    const called = parts.flatMap((part) => (part.functionCall ? [part.functionCall] : []));
    const results = called.map(({ id, name, args }) => ({
      functionResponse: {
        ...(id ? { id } : {}),
        name: name ?? "",
        response: { output: `sunny in ${args?.["city"]}` },
      },
    }));
    const contents = [asked, { role: "model", parts }, { role: "user", parts: results }];
    let text = "";
    for await (const chunk of await client.models.generateContentStream({ model, contents, config })) {
      text += chunk.text ?? "";
    }
    expectLoop(dialect, positions(called.map((call) => call.args)), text);
  });
});
