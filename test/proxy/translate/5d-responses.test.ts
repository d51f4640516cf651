import { describe, expect, it } from "vitest";
import { chatResponse, type Json, messagesResponse, runScene } from "./harness.ts";

const hi = { role: "user", content: "Hi" };
const chat = { model: "asked-model", messages: [hi] };
const messages = { model: "asked-model", max_tokens: 9, messages: [hi] };

const toChatClient = (response: Json | string, body: Json = chat) =>
  runScene({ client: "chat-completions", upstream: "messages", body, response });
const toMessagesClient = (response: Json | string, body: Json = messages) =>
  runScene({ client: "messages", upstream: "chat-completions", body, response });
const choice = (received: { json: Json }) =>
  (received.json["choices"] as { message: Json; finish_reason: string }[])[0];

describe("5d responses, not streamed", () => {
  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "length"],
    ["refusal", "content_filter"],
  ])("56 converts the stop_reason %s to %s", async (reason, expected) => {
    const received = await toChatClient(messagesResponse([{ type: "text", text: "a" }], reason));
    expect(choice(received)?.finish_reason).toBe(expected);
  });

  it.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
  ])("56 converts the finish_reason %s to %s", async (reason, expected) => {
    const received = await toMessagesClient(chatResponse({ content: "a" }, reason));
    expect(received.json["stop_reason"]).toBe(expected);
  });

  const call = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

  it("57 converts the finish reason stop of a tool call to tool_use, but keeps length", async () => {
    const stopped = await toMessagesClient(chatResponse({ content: null, tool_calls: [call] }, "stop"));
    expect(stopped.json["stop_reason"]).toBe("tool_use");
    const cut = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":' } };
    const length = await toMessagesClient(chatResponse({ content: "So", tool_calls: [cut] }, "length"));
    expect(length.json["stop_reason"]).toBe("max_tokens");
  });

  it("58 converts a blocked prompt without candidates to a refusal", async () => {
    const received = await runScene({
      client: "messages",
      upstream: "generative-language",
      body: messages,
      response: {
        promptFeedback: { blockReason: "SAFETY" },
        usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
      },
    });
    expect(received.json["stop_reason"]).toBe("refusal");
  });

  it("59 joins several text parts without separators, keeps thinking separate, and keeps the order", async () => {
    const received = await toChatClient(
      messagesResponse([
        { type: "thinking", thinking: "Hm", signature: "c2ln" },
        { type: "text", text: "A" },
        { type: "text", text: "B" },
      ]),
    );
    expect(choice(received)?.message).toMatchObject({
      content: "AB",
      reasoning_content: "Hm",
      reasoning_details: [{ type: "reasoning.text", text: "Hm", signature: "sally1.messages.c2ln" }],
    });
  });

  it("60 accepts content together with calls, function_call, and content as a list", async () => {
    const both = await toMessagesClient(chatResponse({ content: "Look", tool_calls: [call] }, "tool_calls"));
    expect(both.json["content"]).toEqual([
      { type: "text", text: "Look" },
      { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
    ]);
    const older = await toMessagesClient(
      chatResponse({ content: null, function_call: { name: "f", arguments: "{}" } }, "function_call"),
    );
    expect(older.json).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", name: "f", input: {} }],
    });
    const array = await toMessagesClient(
      chatResponse({
        content: [
          { type: "text", text: "A" },
          { type: "text", text: "B" },
        ],
      }),
    );
    expect(array.json["content"]).toMatchObject([{ text: "A" }, { text: "B" }]);
  });

  it("61 keeps an empty response empty", async () => {
    expect((await toMessagesClient(chatResponse({ content: "" }))).json["content"]).toEqual([]);
    expect(choice(await toChatClient(messagesResponse([])))?.message["content"]).toBe("");
  });

  it("62 converts a refusal to text with the stop reason refusal", async () => {
    const received = await toMessagesClient(chatResponse({ content: null, refusal: "No." }));
    expect(received.json).toMatchObject({ content: [{ type: "text", text: "No." }], stop_reason: "refusal" });
  });

  it("62 keeps page, title and UTF-16 offsets of citations", async () => {
    const citation = {
      type: "web_search_result_location",
      url: "https://a.example",
      title: "A",
      cited_text: "q",
      encrypted_index: "x",
    };
    const received = await toChatClient(
      messagesResponse([
        { type: "text", text: "é🙂 " },
        { type: "text", text: "fact", citations: [citation] },
      ]),
    );
    expect(choice(received)?.message["annotations"]).toEqual([
      {
        type: "url_citation",
        url_citation: { url: "https://a.example", title: "A", start_index: 4, end_index: 8 },
      },
    ]);
    const annotations = [
      {
        type: "url_citation",
        url_citation: { url: "https://a.example", title: "A", start_index: 0, end_index: 4 },
      },
    ];
    const back = await toMessagesClient(chatResponse({ content: "fact", annotations }));
    expect(back.json["content"]).toMatchObject([
      {
        text: "fact",
        citations: [{ type: "web_search_result_location", url: "https://a.example", title: "A" }],
      },
    ]);
  });

  it("63 returns and counts another vendor's web search", async () => {
    const output = [
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "cats", sources: [{ type: "url", url: "https://a.example" }] },
      },
      {
        type: "message",
        id: "m1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Cats.", annotations: [] }],
      },
    ];
    const response = {
      id: "resp_1",
      object: "response",
      created_at: 1,
      status: "completed",
      model: "m",
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
    const received = await runScene({ client: "messages", upstream: "responses", body: messages, response });
    expect(received.json["content"]).toMatchObject([
      { type: "server_tool_use", name: "web_search", input: { query: "cats" } },
      { type: "web_search_tool_result", content: [{ type: "web_search_result", url: "https://a.example" }] },
      { type: "text", text: "Cats." },
    ]);
    expect(received.json["usage"]).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
  });

  it("63 reports hosted tools as a loss if the dialect cannot represent them", async () => {
    const used = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "cats" } };
    const received = await toChatClient(messagesResponse([used, { type: "text", text: "Cats." }]));
    expect(choice(received)).toMatchObject({ message: { content: "Cats." }, finish_reason: "stop" });
    expect(received.losses).toEqual(["answer-server-tool"]);
  });

  it("64 returns only the first of several candidates to messages, with a loss", async () => {
    const response = {
      ...chatResponse({ content: "A" }),
      choices: [0, 1].map((index) => ({
        index,
        message: { role: "assistant", content: `A${index}` },
        finish_reason: "stop",
      })),
    };
    const received = await toMessagesClient(response);
    expect(received.json["content"]).toEqual([{ type: "text", text: "A0" }]);
    expect(received.losses).toEqual(["candidates"]);
  });

  it("65 returns ids with the dialect's prefix, created in seconds, and the requested model", async () => {
    const received = await toChatClient(messagesResponse([{ type: "text", text: "a" }]));
    expect(received.json).toMatchObject({
      id: "chatcmpl-msg_1",
      object: "chat.completion",
      model: "asked-model",
    });
    expect(Number.isInteger(received.json["created"])).toBe(true);
    expect((await toMessagesClient(chatResponse({ content: "a" }))).json).toMatchObject({
      id: "msg_chatcmpl-1",
      model: "asked-model",
    });
  });

  it("66 returns all members that typed clients read, null if there is no value", async () => {
    const received = choice(await toChatClient(messagesResponse([{ type: "text", text: "a" }])));
    expect(received).toMatchObject({ logprobs: null, message: { role: "assistant", refusal: null } });
    expect((await toMessagesClient(chatResponse({ content: "a" }))).json).toMatchObject({
      type: "message",
      role: "assistant",
      stop_sequence: null,
    });
  });

  it("67 returns an image to a chat client, and reports a loss for messages", async () => {
    const response = {
      candidates: [
        {
          content: {
            role: "model",
            parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }],
          },
          finishReason: "STOP",
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    const shown = await runScene({
      client: "chat-completions",
      upstream: "generative-language",
      body: chat,
      response,
    });
    expect(choice(shown)?.message["images"]).toEqual([
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ]);
    const lost = await runScene({
      client: "messages",
      upstream: "generative-language",
      body: messages,
      response,
    });
    expect(lost.losses).toEqual(["answer-image"]);
  });

  it("68 returns a text_completion to a completions client", async () => {
    const received = await runScene({
      client: "completions",
      upstream: "messages",
      body: { model: "asked-model", prompt: "Say", max_tokens: 5 },
      response: messagesResponse([{ type: "text", text: "a" }], "max_tokens"),
    });
    expect(received.sent).toMatchObject({
      max_tokens: 5,
      messages: [{ role: "user", content: [{ type: "text", text: "Say" }] }],
    });
    expect(received.json).toMatchObject({
      id: "cmpl-msg_1",
      object: "text_completion",
      model: "asked-model",
      choices: [{ text: "a", index: 0, logprobs: null, finish_reason: "length" }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
  });

  it("69 returns an error for an error with status 200, a web page, an empty body, and invalid JSON", async () => {
    const received = await toMessagesClient({ error: { message: "model overloaded", type: "x", code: "y" } });
    expect(received.status).toBe(502);
    expect(received.json).toMatchObject({ type: "error", error: { message: "model overloaded" } });
    for (const response of ["<html>502</html>", "", "{", "[]", '{"choices":[]}', "{}"]) {
      const bad = await toMessagesClient(response);
      expect([response, bad.status, bad.json["type"]]).toEqual([response, 502, "error"]);
    }
  });

  it("returns an error for a call whose arguments are not a JSON object", async () => {
    const broken = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":' } };
    const received = await toMessagesClient(
      chatResponse({ content: null, tool_calls: [broken] }, "tool_calls"),
    );
    expect(received.status).toBe(502);
    expect(received.text).toContain("not a JSON object");
  });
});
