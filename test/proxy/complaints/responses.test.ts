import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { json } from "../../support/fake-upstream.ts";
import { chatResponse, chatStream, type Json, sse } from "../translate/harness.ts";
import { post, stage, stream } from "./stage.ts";

const hi = { role: "user" as const, content: "Hi" };
const ask = { model: "m", max_tokens: 9_000, messages: [hi] };
const tools = [{ name: "f", input_schema: { type: "object" as const, properties: {} } }];
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const image = {
  type: "image" as const,
  source: { type: "base64" as const, media_type: "image/png" as const, data: PNG },
};
const calling = (text: string): Json => ({
  tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: text } }],
});

describe("complaints about other proxies: responses", () => {
  it("complaint 8: a response truncated within a call is reported as truncated, not as a call or as complete", async () => {
    const { anthropic, openai, upstream } = await stage("chat-completions");
    const cut = '{"path": "/et';
    upstream.respond = stream(chatStream([calling(cut)], "length"));
    const events = [];
    for await (const event of await anthropic.messages.create({ ...ask, tools, stream: true }))
      events.push(event);
    expect(events.at(-2)).toMatchObject({ type: "message_delta", delta: { stop_reason: "max_tokens" } });
    const responseEvents = [];
    for await (const event of await openai.responses.create({ model: "m", input: "Hi", stream: true }))
      responseEvents.push(event);
    expect(responseEvents.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    });
    upstream.respond = json(
      chatResponse({ content: null, tool_calls: [{ ...Object(calling(cut))["tool_calls"][0] }] }, "length"),
    );
    expect((await openai.responses.create({ model: "m", input: "Hi" })).status).toBe("incomplete");
    expect((await anthropic.messages.create({ ...ask, tools })).stop_reason).toBe("max_tokens");
  });

  it("complaint 9: arguments that are not a JSON object are never reported as a complete call", async () => {
    const { proxy, upstream } = await stage("chat-completions");
    for (const text of ['{"a": ', "[1]", '"x"', "{a:1}"]) {
      const call = { ...Object(calling(text))["tool_calls"][0] };
      upstream.respond = json(chatResponse({ content: null, tool_calls: [call] }, "tool_calls"));
      const response = await post(proxy, "/v1/messages", { ...ask, tools });
      expect([response.status, await response.json()]).toMatchObject([502, { error: { type: "api_error" } }]);
    }
    upstream.respond = json(
      chatResponse(
        { content: null, tool_calls: [{ ...Object(calling(""))["tool_calls"][0] }] },
        "tool_calls",
      ),
    );
    expect(await (await post(proxy, "/v1/messages", { ...ask, tools })).json()).toMatchObject({
      content: [{ type: "tool_use", input: {} }],
      stop_reason: "tool_use",
    });
  });

  it("complaint 10: a stream whose arguments are not JSON ends at once with an error that the client throws", async () => {
    const { anthropic, openai, upstream } = await stage("chat-completions");
    upstream.respond = (_hit, response) => {
      // The upstream sends its last event and never closes the connection.
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chatStream([calling('{"a": ')], "tool_calls"));
    };
    const message = anthropic.messages.stream({ ...ask, tools }).finalMessage();
    await expect(message).rejects.toBeInstanceOf(Anthropic.APIError);
    const types = [];
    for await (const { type } of await openai.responses.create({ model: "m", input: "Hi", stream: true }))
      types.push(type);
    expect(types.at(-1)).toBe("response.failed");
  });

  it("complaint 14: token counts include system text, tools and images, and come from the upstream if it counts", async () => {
    const chat = await stage("chat-completions");
    const count = async (more: object) =>
      (await chat.anthropic.messages.countTokens({ model: "m", messages: [hi], ...more })).input_tokens;
    const plain = await count({});
    // The cost of an image depends on its size, which is in the first bytes of a PNG.
    const head = Buffer.from(PNG, "base64");
    head.writeUInt32BE(1_000, 16);
    head.writeUInt32BE(1_000, 20);
    const large = { ...image, source: { ...image.source, data: head.toString("base64") } };
    const schema = {
      type: "object" as const,
      properties: { where: { type: "string", description: "A town's name" } },
    };
    const more = await Promise.all([
      count({ system: "Answer in one short sentence, always." }),
      count({ tools: [{ name: "weather", description: "Tells the weather", input_schema: schema }] }),
      count({ messages: [{ role: "user", content: [large] }] }),
    ]);
    expect([plain > 0, more.every((tokens) => tokens > plain + 5)]).toEqual([true, true]);
    const google = await stage("generative-language");
    google.upstream.respond = json({ totalTokens: 321 });
    expect((await google.anthropic.messages.countTokens({ model: "m", messages: [hi] })).input_tokens).toBe(
      321,
    );
  });

  it("complaint 15: a prompt keeps its bytes between turns, so that caches apply, and cached tokens are reported", async () => {
    const { anthropic, upstream, sent } = await stage("chat-completions");
    const usage = {
      prompt_tokens: 1_000,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 900 },
    };
    upstream.respond = json(chatResponse({ content: "Hello" }, "stop", { usage }));
    const system = (hash: string) => [
      { type: "text" as const, text: `x-anthropic-billing-header: cch=${hash};` },
      { type: "text" as const, text: "Be brief.", cache_control: { type: "ephemeral" as const } },
    ];
    const first = await anthropic.messages.create({ ...ask, system: system("11111"), tools });
    expect(first.usage).toMatchObject({ input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 5 });
    const messages = [hi, { role: "assistant" as const, content: first.content }, hi];
    await anthropic.messages.create({ ...ask, system: system("22222"), tools, messages });
    const [before, after] = [sent(0), sent(1)].map((body) => JSON.stringify(body["messages"]).slice(0, -1));
    expect(after?.startsWith(before ?? "?")).toBe(true);
    expect(sent(1)["tools"]).toEqual(sent(0)["tools"]);
  });

  it("complaint 16: newer models receive the output limit under the name that they accept", async () => {
    const { anthropic, sent } = await stage("chat-completions");
    for (const [model, name] of [
      ["gpt-5.1", "max_completion_tokens"],
      ["o3", "max_completion_tokens"],
      ["gpt-4o", "max_tokens"],
      ["qwen3", "max_tokens"],
    ] as const) {
      await anthropic.messages.create({ ...ask, model });
      const limits = Object.entries(sent()).filter(([member]) => member.startsWith("max_"));
      expect([model, limits]).toEqual([model, [[name, 9_000]]]);
    }
  });

  it("complaint 17: Gemini receives schemas with definitions, unions, numeric enums and cycles in its own form, bounded", async () => {
    const { proxy, sent } = await stage("generative-language");
    const input_schema = {
      type: "object",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      properties: {
        level: { type: "integer", enum: [1, 2] },
        at: { anyOf: [{ type: "string" }, { type: "null" }] },
        tree: { $ref: "#/$defs/node" },
      },
    };
    const body = { ...ask, model: "gemini-2.0-flash", tools: [{ name: "f", input_schema }] };
    const response = await post(proxy, "/v1/messages", body);
    expect([response.status, response.headers.get("x-sallyport-losses")]).toEqual([
      200,
      expect.stringMatching(/schema-enum/),
    ]);
    const { parameters } = Object(sent()["tools"])[0].functionDeclarations[0];
    expect(parameters.properties).toMatchObject({
      level: { type: "INTEGER" },
      at: { nullable: true },
    });
    expect(JSON.stringify(parameters)).not.toMatch(/\$ref|\$defs|anyOf/);
    await post(proxy, "/v1/messages", { ...body, model: "gemini-2.5-pro" });
    expect(Object(sent()["tools"])[0].functionDeclarations[0].parametersJsonSchema).toEqual(input_schema);
  });

  it("complaint 18: a web search by another vendor is shown and counted", async () => {
    const { anthropic, upstream, sent } = await stage("responses");
    const text = {
      type: "output_text",
      text: "Found",
      annotations: [
        { type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 5 },
      ],
    };
    const output = [
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "q", sources: [{ type: "url", url: "https://a.example" }] },
      },
      { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [text] },
    ];
    const response = { id: "resp_1", object: "response", status: "completed", model: "m", output };
    const search = { type: "web_search_20250305" as const, name: "web_search" as const };
    upstream.respond = json({ ...response, usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } });
    const whole = await anthropic.messages.create({ ...ask, tools: [search] });
    const items = output.map((item, output_index) => ({
      type: "response.output_item.done",
      output_index,
      item,
    }));
    upstream.respond = stream(
      sse("responses", [
        { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
        ...items,
        { type: "response.completed", response },
      ]),
    );
    const streamed = await anthropic.messages.stream({ ...ask, tools: [search] }).finalMessage();
    expect(sent()["tools"]).toEqual([{ type: "web_search" }]);
    for (const { content, usage } of [whole, streamed]) {
      expect(content.map(({ type }) => type)).toEqual(["server_tool_use", "web_search_tool_result", "text"]);
      expect(content[1]).toMatchObject({ content: [{ url: "https://a.example" }] });
      expect(content[2]).toMatchObject({ citations: [{ url: "https://a.example" }] });
      expect(usage.server_tool_use).toMatchObject({ web_search_requests: 1 });
    }
  });

  it("complaint 19: the model receives an image inside a tool result, and rules match it", async () => {
    const { anthropic, sent } = await stage("chat-completions", {
      models: [
        { match: "*", upstream: "main", model: "sees", when: { has_image: true } },
        { match: "*", upstream: "main", model: "blind" },
      ],
    });
    const messages = [
      hi,
      { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "c", name: "f", input: {} }] },
      {
        role: "user" as const,
        content: [{ type: "tool_result" as const, tool_use_id: "c", content: [image] }],
      },
    ];
    await anthropic.messages.create({ ...ask, tools, messages });
    expect(sent()["model"]).toBe("sees");
    expect(JSON.stringify(sent()["messages"])).toContain(
      `{"type":"image_url","image_url":{"url":"data:image/png;base64,${PNG}"`,
    );
    await anthropic.messages.create(ask);
    expect(sent()["model"]).toBe("blind");
  });
});
