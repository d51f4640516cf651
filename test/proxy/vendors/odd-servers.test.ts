import { afterEach, describe, expect, it } from "vitest";
import { json, type Respond, startFakeUpstream } from "../../support/fake-upstream.ts";
import { configOf, startTestProxy } from "../../support/start-proxy.ts";
import { chatResponse, type Json, sse } from "../translate/harness.ts";

const JSON_TYPE = { "content-type": "application/json" };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts a proxy in front of a server that sends this response. */
async function behind(respond: Respond, upstream: object = {}) {
  const fake = await startFakeUpstream(respond);
  closers.push(fake.close);
  const proxy = await startTestProxy({
    upstreams: { main: { dialect: "chat-completions", base_url: fake.url, ...upstream } },
    models: [{ match: "*", upstream: "main" }],
  });
  closers.push(proxy.close);
  const post = async (path: string, body: object) => {
    const response = await fetch(`${proxy.url}${path}`, {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith("{") ? (JSON.parse(text) as Json) : {} };
  };
  return { fake, proxy, post };
}

const stream =
  (text: string): Respond =>
  (_hit, response) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
const hi = [{ role: "user", content: "Hi" }];
const messages = { model: "m", max_tokens: 50, messages: hi };
const chunk = (choice: Json, more: Json = {}) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, ...choice }],
  ...more,
});

describe("a server with its own habits", () => {
  it("Azure OpenAI: filters a response without a message, and opens streams without choices", async () => {
    const filtered = {
      ...chatResponse({}),
      choices: [{ index: 0, finish_reason: "content_filter", content_filter_results: {} }],
    };
    const whole = await behind(json(filtered));
    expect(await whole.post("/v1/messages", messages)).toMatchObject({
      status: 200,
      json: { stop_reason: "refusal" },
    });
    const first = {
      id: "",
      object: "",
      created: 0,
      model: "",
      choices: [],
      prompt_filter_results: [{ prompt_index: 0 }],
    };
    const events = [
      first,
      chunk({ delta: { role: "assistant", content: "Hello" } }),
      chunk({ delta: {}, finish_reason: "stop" }),
    ];
    const open = await behind(stream(sse("chat-completions", events)));
    expect((await open.post("/v1/messages", { ...messages, stream: true })).text).toMatch(
      /Hello.*message_stop/s,
    );
  });

  it("Snowflake Cortex: has an empty custom member beside each function call, and an empty finish reason", async () => {
    const call = {
      type: "function",
      id: "tooluse_1",
      custom: { input: "", name: "" },
      function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
    };
    const response = chatResponse({ content: null, tool_calls: [call] }, "");
    const { post } = await behind(json(response));
    const { json: body } = await post("/v1/messages", messages);
    expect(body["content"]).toMatchObject([
      { type: "tool_use", name: "get_weather", input: { city: "Oslo" } },
    ]);
  });

  it("Bedrock Mantle: counts content parts over items, so that texts are not doubled", async () => {
    const part = { type: "output_text", text: "Hello", annotations: [] };
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [part] };
    const response = {
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "m",
      output: [item],
      usage: null,
    };
    const events: Json[] = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item, status: "in_progress", content: [] },
      },
      {
        type: "response.content_part.added",
        item_id: "msg_1",
        output_index: 0,
        content_index: 1,
        part: { ...part, text: "" },
      },
      {
        type: "response.output_text.delta",
        item_id: "msg_1",
        output_index: 0,
        content_index: 1,
        delta: "Hello",
      },
      {
        type: "response.output_text.done",
        item_id: "msg_1",
        output_index: 0,
        content_index: 1,
        text: "Hello",
      },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ];
    const { post } = await behind(stream(sse("responses", events)), { dialect: "responses" });
    const { text } = await post("/v1/chat/completions", { model: "m", messages: hi, stream: true });
    expect(text.match(/Hello/g)).toHaveLength(1);
  });

  it("Together AI: ends with eos", async () => {
    const { post } = await behind(json(chatResponse({ content: "Hello" }, "eos")));
    expect((await post("/v1/messages", messages)).json["stop_reason"]).toBe("end_turn");
    const google = await post("/v1beta/models/m:generateContent", {
      contents: [{ parts: [{ text: "Hi" }] }],
    });
    expect(google.text).toContain('"finishReason":"STOP"');
  });

  it("Mistral: gives the reason of a 422 in a list of details", async () => {
    const detail = [
      { type: "extra_forbidden", loc: ["body", "x"], msg: "Extra inputs are not permitted", input: 1 },
    ];
    const { post } = await behind(
      json({ object: "error", message: { detail }, type: "invalid_request_error" }, 422),
    );
    const { status, text } = await post("/v1/messages", messages);
    expect([status, text]).toEqual([422, expect.stringContaining("Extra inputs are not permitted")]);
  });

  it("Writer: ends a stream without a finish reason or an end, which is an error for the client", async () => {
    const text = `data: ${JSON.stringify(chunk({ delta: { content: "Hello" } }))}\n\n`;
    const { post } = await behind(stream(text));
    for (const [path, body] of [
      ["/v1/chat/completions", { model: "m", messages: hi, stream: true }],
      ["/v1/messages", { ...messages, stream: true }],
    ] as const) {
      const response = await post(path, body);
      expect(response.text).toContain("Hello");
      expect(response.text).toMatch(/"error"/);
      expect(response.text).not.toMatch(/\[DONE\]|message_stop/);
    }
  });

  it("Vercel AI Gateway: reports more reasoning tokens than output tokens, and both are counted", async () => {
    const usage = {
      prompt_tokens: 8,
      completion_tokens: 10,
      total_tokens: 114,
      completion_tokens_details: { reasoning_tokens: 96 },
    };
    const { post, proxy } = await behind(json(chatResponse({ content: "Hello" }, "stop", { usage })));
    expect((await post("/v1/messages", messages)).json["usage"]).toMatchObject({ output_tokens: 106 });
    expect(proxy.records.at(-1)?.usage).toMatchObject({ output: { total: 106, reasoning: 96 } });
  });

  it("Perplexity: has no version in its path, cites pages and needs a schema for JSON", async () => {
    const { upstreams } = configOf({ upstreams: { main: { vendor: "perplexity", api_key: "k-1" } } });
    expect(upstreams.get("main")?.baseUrl).toBe("https://api.perplexity.ai");
    const response = chatResponse({ content: "Hello[1]" }, "stop", {
      citations: ["https://example.com/a"],
      search_results: [{ title: "A", url: "https://example.com/a" }],
    });
    const { post, fake } = await behind(json(response), { vendor: "perplexity" });
    const body = { model: "sonar", input: "Hi", text: { format: { type: "json_object" } } };
    expect((await post("/v1/responses", body)).text).toContain("Hello[1]");
    expect(JSON.parse(fake.hits[0]?.body.toString() ?? "")["response_format"]).toMatchObject({
      type: "json_schema",
    });
  });

  it("vLLM: sends null and empty members, and thinking as either member", async () => {
    const events = [
      chunk({
        delta: { role: "assistant", content: "", reasoning_content: null, tool_calls: [] },
        logprobs: null,
        finish_reason: null,
      }),
      chunk({ delta: { reasoning: "Hmm" }, token_ids: null, finish_reason: null }),
      chunk({ delta: { content: "Hello", tool_calls: [] }, stop_reason: null, finish_reason: null }),
      chunk({ delta: { content: "" }, finish_reason: "stop", stop_reason: 151_645 }),
    ];
    const { post } = await behind(stream(sse("chat-completions", events)), { vendor: "vllm" });
    const { text } = await post("/v1/messages", { ...messages, stream: true });
    expect(text).toMatch(/"thinking":"Hmm".*"text":"Hello".*end_turn.*message_stop/s);
    expect(text).not.toContain("tool_use");
  });

  it("OpenRouter: sends comments while it waits, and an error within a stream", async () => {
    const failed = {
      ...chunk({ delta: { content: "" }, finish_reason: "error" }),
      error: { code: 502, message: "Provider disconnected" },
    };
    const { post } = await behind(stream(`: OPENROUTER PROCESSING\n\ndata: ${JSON.stringify(failed)}\n\n`), {
      vendor: "openrouter",
    });
    const { text } = await post("/v1/messages", { ...messages, stream: true });
    expect(text).toContain("Provider disconnected");
    expect(text).not.toContain("message_stop");
  });

  it("Moonshot: reports a stream's usage in the last choice", async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
    const events = [
      chunk({ delta: { content: "Hello" } }),
      chunk({ delta: {}, finish_reason: "stop", usage }),
    ];
    const { post, proxy } = await behind(stream(sse("chat-completions", events)), { vendor: "moonshot" });
    await post("/v1/messages", { ...messages, stream: true });
    expect(proxy.records.at(-1)?.usage).toMatchObject({ input: { total: 5 }, output: { total: 3 } });
  });

  it("MiniMax: returns errors with status 200", async () => {
    const error = {
      base_resp: { status_code: 1004, status_msg: "login fail: Please carry the API secret key" },
      choices: null,
    };
    const { post } = await behind(json(error));
    const { status, text } = await post("/v1/messages", messages);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain("login fail");
  });

  it.each([
    [
      "https://acme.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21",
      "/openai/deployments/gpt?api-version=2024-10-21",
    ],
    ["https://acme.services.ai.azure.com/models", "/models"],
    ["https://acme.cloud.databricks.com/serving-endpoints", "/serving-endpoints"],
    ["https://api.githubcopilot.com", ""],
    ["https://models.github.ai/inference", "/inference"],
  ])("%s: takes no version in its path", (base_url, path) => {
    const { upstreams } = configOf({ upstreams: { main: { dialect: "chat-completions", base_url } } });
    expect(upstreams.get("main")?.baseUrl).toBe(`${new URL(base_url).origin}${path}`);
  });
});
