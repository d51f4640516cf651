import { describe, expect, it } from "vitest";
import type { Dialect } from "../../../src/proxy/exchange/parts.ts";
import { createMemoryConversations } from "../../../src/proxy/translate/conversations/conversation-store.ts";
import {
  chatResponse,
  chatStream,
  type Json,
  messagesResponse,
  messagesStream,
  runScene,
  sse,
} from "./harness.ts";

/**
 * Responses of particular vendors that deviate from their dialect. Their content must reach the client or be reported
 * as lost.
 */
const hi = { role: "user", content: "Hi" };
const toMessages = (upstream: Dialect, response: Json | string, more: Json = {}) =>
  runScene({
    client: "messages",
    upstream: upstream as "chat-completions",
    body: { model: "m", max_tokens: 9, messages: [hi], ...more },
    response,
  });
const toChat = (upstream: Dialect, response: Json | string, more: Json = {}) =>
  runScene({
    client: "chat-completions",
    upstream: upstream as "messages",
    body: { model: "m", messages: [hi], ...more },
    response,
  });
const toResponses = (upstream: Dialect, response: Json | string, more: Json = {}) =>
  runScene({
    client: "responses",
    upstream: upstream as "messages",
    body: { model: "m", input: "Hi", ...more },
    response,
  });
const streaming = { stream: true };
const contentOf = (received: { json: Json }) => received.json["content"] as Json[];
const messageOf = (received: { json: Json }) =>
  (received.json["choices"] as { message: Json }[])[0]?.message ?? {};
const google = (parts: Json[], more: Json = {}): Json => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0, ...more }],
  modelVersion: "m",
  responseId: "r",
});

describe("a response of a chat-completions upstream", () => {
  const thought = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });

  it("keeps the thinking within its content (Mistral)", async () => {
    const response = chatResponse({ content: [thought("Hm"), { type: "text", text: "Yes" }] });
    const received = await toMessages("chat-completions", response);
    expect(contentOf(received)).toMatchObject([
      { type: "thinking", thinking: "Hm" },
      { type: "text", text: "Yes" },
    ]);
    expect(received.losses).toEqual([]);
  });

  it("keeps the thinking within its streamed content (Mistral)", async () => {
    const deltas = [{ content: [thought("H")] }, { content: [thought("m")] }, { content: "Yes" }];
    const received = await toChatFromMistral(deltas);
    expect(received).toEqual([{ thought: true, text: "Hm" }, { text: "Yes" }]);
  });

  async function toChatFromMistral(deltas: Json[]) {
    const received = await toMessages("chat-completions", chatStream(deltas), streaming);
    const texts: { thought?: true; text: string }[] = [];
    for (const event of received.data) {
      const delta = event["delta"] as Json | undefined;
      if (event["type"] === "content_block_start")
        texts.push(
          (event["content_block"] as Json)["type"] === "thinking"
            ? { thought: true, text: "" }
            : { text: "" },
        );
      const last = texts.at(-1);
      if (last !== undefined) last.text += String(delta?.["thinking"] ?? delta?.["text"] ?? "");
    }
    return texts;
  }

  it("has a loss if a streamed part has an unknown type", async () => {
    const received = await toMessages(
      "chat-completions",
      chatStream([{ content: [{ type: "new" }] }]),
      streaming,
    );
    expect(received.losses).toEqual(["answer-unknown"]);
  });

  it("counts its reasoning as output if the completion excludes it (xAI)", async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 241,
      completion_tokens_details: { reasoning_tokens: 228 },
    };
    const received = await toMessages("chat-completions", chatResponse({ content: "x" }, "stop", { usage }));
    expect(received.json["usage"]).toMatchObject({
      output_tokens: 229,
      output_tokens_details: { thinking_tokens: 228 },
    });
  });

  it("counts its reasoning once if the completion includes it (OpenAI)", async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 229,
      total_tokens: 241,
      completion_tokens_details: { reasoning_tokens: 228 },
    };
    const received = await toMessages("chat-completions", chatResponse({ content: "x" }, "stop", { usage }));
    expect(received.json["usage"]).toMatchObject({ output_tokens: 229 });
  });

  it("keeps the usage that its last choice contains (Moonshot)", async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    const chunks = [
      { id: "c", choices: [{ index: 0, delta: { content: "a" }, finish_reason: null }] },
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] },
    ];
    const received = await toMessages("chat-completions", sse("chat-completions", chunks), streaming);
    const last = received.data.find((event) => event["type"] === "message_delta");
    expect(last?.["usage"]).toMatchObject({ input_tokens: 7, output_tokens: 3 });
  });

  it("counts the cached tokens that are not among the details (Kimi)", async () => {
    const usage = { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32, cached_tokens: 12 };
    const received = await toMessages("chat-completions", chatResponse({ content: "x" }, "stop", { usage }));
    expect(received.json["usage"]).toMatchObject({ input_tokens: 7, cache_read_input_tokens: 12 });
  });

  it("keeps the usage that a chunk contains before the first choice", async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    const chunks = [
      { choices: [], usage },
      { id: "c", choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop" }] },
    ];
    const body = { model: "m", prompt: "Hi", stream: true, stream_options: { include_usage: true } };
    const response = sse("chat-completions", chunks);
    const received = await runScene({ client: "completions", upstream: "chat-completions", body, response });
    expect(received.data.at(-1)?.["usage"]).toMatchObject(usage);
  });

  it.each([
    ["an event named error", 'event: error\ndata: {"message":"out of memory"}\n\n'],
    [
      "an object of the type error",
      'data: {"object":"error","message":"out of memory","code":400}\n\ndata: [DONE]\n\n',
    ],
    ["an object whose only member is error", 'data: {"error":{"message":"out of memory"}}\n\n'],
  ])("is an error if its stream contains %s", async (_, response) => {
    const received = await toMessages("chat-completions", response, streaming);
    expect(received.status).toBeGreaterThanOrEqual(400);
    expect(received.text).toContain("out of memory");
  });

  it("has a loss if it cites something other than a page", async () => {
    const annotations = [{ type: "file", file: { hash: "x", name: "a.pdf" } }];
    const received = await toMessages("chat-completions", chatResponse({ content: "a", annotations }));
    expect(received.losses).toEqual(["answer-citation"]);
  });

  it.each([
    ["citations", { citations: ["https://a.example"] }],
    ["search_results", { citations: ["x"], search_results: [{ url: "https://a.example", title: "A" }] }],
  ])("keeps the cited pages that its member %s lists", async (_, more) => {
    const page = { url: "https://a.example" };
    const whole = await toMessages("chat-completions", chatResponse({ content: "Yes [1]" }, "stop", more));
    expect(contentOf(whole)).toMatchObject([{ text: "Yes [1]", citations: [page] }]);
    const chunks = ["Yes", " [1]"].map((content) => ({
      id: "c",
      choices: [{ index: 0, delta: { content }, finish_reason: content === "Yes" ? null : "stop" }],
      ...more,
    }));
    const many = await toResponses("chat-completions", sse("chat-completions", chunks), streaming);
    const cited = many.data.filter((event) => event["type"] === "response.output_text.annotation.added");
    expect(cited).toMatchObject([{ annotation: { ...page, start_index: 0, end_index: 7 } }]);
  });
});

describe("a response that the vendor's filter has ended within a tool call", () => {
  const half = '{"path": "/tm';
  const filtered = chatStream(
    [{ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: half } }] }],
    "content_filter",
  );
  const refused = messagesStream(
    [
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "c1", name: "f", input: {} },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: half },
      },
      { type: "content_block_stop", index: 0 },
    ],
    "refusal",
  );

  it("is filtered for a chat-completions client", async () => {
    const received = await toChat("messages", refused, streaming);
    expect(received.text).not.toContain('"error"');
    expect(received.data.at(-1)).toMatchObject({ choices: [{ finish_reason: "content_filter" }] });
    expect(received.text).toContain("[DONE]");
  });

  it("is a refusal for a messages client", async () => {
    const received = await toMessages("chat-completions", filtered, streaming);
    expect(received.data.at(-2)).toMatchObject({ delta: { stop_reason: "refusal" } });
    expect(received.data.at(-1)).toEqual({ type: "message_stop" });
  });

  it.each([
    ["messages", refused],
    ["chat-completions", filtered],
  ] as const)("is incomplete for a responses client (upstream: %s)", async (upstream, response) => {
    const received = await toResponses(upstream, response, streaming);
    expect(received.data.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: {
        incomplete_details: { reason: "content_filter" },
        output: [{ type: "function_call", status: "incomplete", arguments: half }],
      },
    });
  });

  it("has no call for a generative-language client", async () => {
    const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
    const client = "generative-language" as const;
    const received = await runScene({ client, upstream: "messages", body, response: refused, array: true });
    expect(received.text).not.toContain("functionCall");
    expect(received.text).toContain('"finishReason":"SAFETY"');
    expect(received.losses).toEqual(["incomplete-call"]);
  });
});

describe("a response of a messages upstream", () => {
  it.each([
    ["rate_limit_error", 429],
    ["request_too_large", 413],
    ["api_error", 502],
  ])("is an error with the status of its type %s if its own status is 200", async (type, status) => {
    const received = await toChat("messages", { type: "error", error: { type, message: "No." } });
    expect([received.status, received.text]).toEqual([status, expect.stringContaining("No.")]);
  });

  it("is an error instead of an empty response if a delta belongs to no open block", async () => {
    const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lost" } };
    const received = await toChat("messages", messagesStream([delta]), streaming);
    expect(received.data.at(-1)).toMatchObject({ error: { message: expect.stringContaining("not open") } });
    expect(received.text).not.toContain("[DONE]");
  });

  it("is an empty text if its content is null", async () => {
    const received = await toChat("messages", { ...messagesResponse([]), content: null });
    expect(messageOf(received)).toMatchObject({ content: "" });
  });
});

describe("a response of a responses upstream", () => {
  const text = (content: string) => ({ type: "output_text", text: content, annotations: [] });
  const message = { id: "msg_1", type: "message", role: "assistant", content: [text(""), text("hi")] };
  const response = (output: Json[]) => ({
    id: "resp_1",
    object: "response",
    model: "m",
    status: "completed",
    output,
  });

  it("contains its second text once if its first text is empty", async () => {
    const at = { output_index: 0, content_index: 1 };
    const events = [
      { type: "response.created", response: { ...response([]), status: "in_progress" } },
      { type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } },
      { type: "response.output_text.delta", ...at, delta: "hi" },
      { type: "response.output_text.done", ...at, text: "hi" },
      { type: "response.output_item.done", output_index: 0, item: message },
      { type: "response.completed", response: response([message]) },
    ];
    const received = await toChat("responses", sse("responses", events), streaming);
    const contents = received.data.map(
      (chunk) => (chunk["choices"] as { delta: Json }[])[0]?.delta["content"],
    );
    expect(contents.join("")).toBe("hi");
  });
});

describe("a response of a generative-language upstream", () => {
  const grounding = {
    webSearchQueries: ["who"],
    groundingChunks: [{ web: { uri: "https://a.example", title: "A" } }],
  };

  it.each([false, true])("keeps its web search and counts it (streamed: %s)", async (stream) => {
    const chunk = google([{ text: "Yes" }], { groundingMetadata: grounding });
    const response = stream ? sse("generative-language", [chunk]) : chunk;
    const received = await toMessages("generative-language", response, stream ? streaming : {});
    for (const shown of [
      '"web_search_tool_result"',
      '"query',
      "https://a.example",
      '"web_search_requests":1',
    ])
      expect(received.text).toContain(shown);
    expect(received.losses).toEqual([]);
  });

  it.each([false, true])(
    "keeps its web search as an item for a responses client (streamed: %s)",
    async (stream) => {
      const chunk = google([{ text: "Yes" }], { groundingMetadata: grounding });
      const body = stream ? sse("generative-language", [chunk]) : chunk;
      const received = await toResponses("generative-language", body, stream ? streaming : {});
      const response = stream ? (received.data.at(-1)?.["response"] as Json) : received.json;
      const search = (response["output"] as Json[]).find((item) => item["type"] === "web_search_call");
      expect(search).toMatchObject({
        status: "completed",
        action: { type: "search", query: "who", sources: [{ type: "url", url: "https://a.example" }] },
      });
      expect(received.text).toContain('"url_citation"');
      expect(received.losses).toEqual([]);
    },
  );

  it("keeps its citations of maps, and has a loss for citations of the vendor's own files", async () => {
    const groundingMetadata = {
      groundingChunks: [
        { maps: { uri: "https://maps.example", title: "M" } },
        { retrievedContext: { uri: "gs://bucket/a", title: "R" } },
      ],
      groundingSupports: [{ segment: { endIndex: 3 }, groundingChunkIndices: [0, 1] }],
    };
    const received = await toChat("generative-language", google([{ text: "Yes" }], { groundingMetadata }));
    expect(messageOf(received)["annotations"]).toMatchObject([
      { url_citation: { url: "https://maps.example" } },
    ]);
    expect(received.losses).toEqual(["answer-citation"]);
  });

  it("has a loss if the vendor has fetched pages", async () => {
    const urlContextMetadata = { urlMetadata: [{ retrievedUrl: "https://a.example" }] };
    const received = await toChat("generative-language", google([{ text: "Yes" }], { urlContextMetadata }));
    expect(received.losses).toEqual(["answer-server-tool"]);
  });

  it("excludes images that the model generated while thinking", async () => {
    const image = { inlineData: { mimeType: "image/png", data: "aGk=" } };
    const received = await toChat(
      "generative-language",
      google([{ ...image, thought: true }, { text: "Yes" }]),
    );
    expect(messageOf(received)).not.toHaveProperty("images");
    expect(received.losses).toEqual(["answer-unknown"]);
  });

  it.each(["chat-completions", "responses"] as const)(
    "has a loss for the signature of an image if the client's dialect is %s",
    async (client) => {
      const image = { inlineData: { mimeType: "image/png", data: "aGk=" }, thoughtSignature: "c2ln" };
      for (const stream of [false, true]) {
        const response = stream ? sse("generative-language", [google([image])]) : google([image]);
        const ask = client === "responses" ? toResponses : toChat;
        const received = await ask("generative-language", response, stream ? streaming : {});
        expect(received.text).toContain("aGk=");
        expect(received.losses).toEqual(["part-signature"]);
      }
    },
  );

  it.each(["default_api.f", "default_api:f", "f"])(
    "calls the client's function f if the model names it %s",
    async (name) => {
      const call = google([{ functionCall: { name, args: {} } }]);
      const whole = await toMessages("generative-language", call);
      expect(contentOf(whole)).toMatchObject([{ type: "tool_use", name: "f" }]);
      const many = await toMessages("generative-language", sse("generative-language", [call]), streaming);
      expect(many.text).toContain('"name":"f"');
    },
  );

  it("is an error instead of an empty response if the vendor reports a missing signature", async () => {
    const received = await toChat(
      "generative-language",
      google([], { finishReason: "MISSING_THOUGHT_SIGNATURE" }),
    );
    expect(received.status).toBe(502);
  });

  it.each([false, true])(
    "keeps the explanation of a refusal for a messages client (streamed: %s)",
    async (stream) => {
      const blocked = google([], { finishReason: "SAFETY", finishMessage: "Not this." });
      const response = stream ? sse("generative-language", [blocked]) : blocked;
      const received = await toMessages("generative-language", response, stream ? streaming : {});
      const end = stream ? (received.data.at(-2)?.["delta"] as Json) : received.json;
      expect(end).toMatchObject({
        stop_reason: "refusal",
        stop_details: { type: "refusal", category: null, explanation: "Not this." },
      });
    },
  );
});

describe("an output item next to a dropped one", () => {
  it("is found by its id", async () => {
    const conversations = createMemoryConversations();
    const search = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      { type: "text", text: "Found" },
    ];
    const pair = { client: "responses", upstream: "messages", conversations } as const;
    const first = await runScene({
      ...pair,
      body: { model: "m", input: "Hi" },
      response: messagesResponse(search),
    });
    const [item] = first.json["output"] as Json[];
    const reference = { type: "item_reference", id: item?.["id"] };
    const input = [{ role: "user", content: "Hi" }, reference, { role: "user", content: "Go on" }];
    const second = await runScene({ ...pair, body: { model: "m", input } });
    expect((second.sent["messages"] as Json[])[1]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Found" }],
    });
  });
});

describe("a response of a compatible server", () => {
  it("is complete if the only chunk of its stream contains the whole message", async () => {
    const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
    const message = { role: "assistant", content: "whole", tool_calls: [call] };
    const chunk = { id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    const received = await toMessages("chat-completions", sse("chat-completions", [chunk]), streaming);
    const blocks = received.data.filter(({ type }) => type === "content_block_start");
    expect(blocks.map(({ content_block }) => (content_block as Json)["type"])).toEqual(["text", "tool_use"]);
    expect(received.text).toContain('"text":"whole"');
    expect(received.text).toContain('"stop_reason":"tool_use"');
  });

  it("contains its text once if a message repeats the deltas", async () => {
    const message = { role: "assistant", content: "Hello" };
    const received = await toMessages(
      "chat-completions",
      sse("chat-completions", [
        { id: "c", choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: null }] },
        { id: "c", choices: [{ index: 0, message, finish_reason: "stop" }] },
      ]),
      streaming,
    );
    expect(received.text.match(/Hello/g)).toHaveLength(1);
  });

  it.each([
    ["as text", { error: "model overloaded" }, 502],
    ["of vLLM", { object: "error", message: "model overloaded", type: "BadRequestError", code: 400 }, 400],
    ["of OpenRouter", { error: { message: "model overloaded", code: 429 } }, 429],
    ["with a name as its code", { error: { message: "model overloaded", code: "busy", status: 429 } }, 429],
  ])(
    "is an error with the server's message if its body is an error %s and its status 200",
    async (_, body, status) => {
      const received = await toMessages("chat-completions", body);
      expect([received.status, received.text]).toEqual([status, expect.stringContaining("model overloaded")]);
    },
  );

  it("is an error that asks for a shorter prompt if its body says so and its status is 200", async () => {
    const error = { message: "This model's maximum context length is 8192 tokens.", code: 400 };
    const received = await toMessages("chat-completions", { error });
    expect([received.status, received.text]).toEqual([400, expect.stringContaining("prompt is too long")]);
  });

  it("keeps its other counts if one count is a string", async () => {
    const usage = { prompt_tokens: "5", completion_tokens: 7, total_tokens: 12 };
    const received = await toMessages("chat-completions", chatResponse({ content: "hi" }, "stop", { usage }));
    expect(contentOf(received)).toEqual([{ type: "text", text: "hi" }]);
    expect(received.json["usage"]).toMatchObject({ output_tokens: 7 });
  });

  it("keeps its output if the output has no role", async () => {
    const output = [{ type: "message", content: [{ type: "output_text", text: "hi" }] }];
    const received = await toMessages("responses", {
      id: "r",
      object: "response",
      status: "completed",
      output,
    });
    expect(contentOf(received)).toEqual([{ type: "text", text: "hi" }]);
  });

  it.each(["queued", "in_progress"])("is an error if its status is %s", async (status) => {
    const received = await toMessages("responses", { id: "r", object: "response", status, output: [] });
    expect([received.status, received.text]).toEqual([502, expect.stringContaining(status)]);
  });
});
