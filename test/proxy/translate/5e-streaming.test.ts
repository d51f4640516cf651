import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/errors.ts";
import { chatResponse, chatStream, type Json, messagesStream, runScene, sse } from "./harness.ts";

const hi = { role: "user", content: "Hi" };
const messagesBody = { model: "m", max_tokens: 9, stream: true, messages: [hi] };
const chatBody = { model: "m", stream: true, stream_options: { include_usage: true }, messages: [hi] };

type UpstreamBody = NonNullable<Parameters<typeof runScene>[0]["response"]>;
const toMessages = (response: UpstreamBody, more: Partial<Parameters<typeof runScene>[0]> = {}) =>
  runScene({ client: "messages", upstream: "chat-completions", body: messagesBody, response, ...more });
const toChat = (response: UpstreamBody, more: Partial<Parameters<typeof runScene>[0]> = {}) =>
  runScene({ client: "chat-completions", upstream: "messages", body: chatBody, response, ...more });

const types = (received: { data: readonly Json[] }) => received.data.map((event) => event["type"]);
const blocks = (received: { data: readonly Json[] }) =>
  received.data
    .filter((event) => event["type"] === "content_block_start")
    .map((event) => event["content_block"] as Json);
const inputOf = (received: { data: readonly Json[] }, index: number) =>
  received.data
    .filter((event) => event["type"] === "content_block_delta" && event["index"] === index)
    .map((event) => (event["delta"] as Json)["partial_json"])
    .join("");
const tool = (index: number | undefined, part: Json): Json => ({
  tool_calls: [{ index, ...part }],
});
const named = (id: string, name: string, text = ""): Json => ({
  id,
  type: "function",
  function: { name, arguments: text },
});
const args = (text: string): Json => ({ function: { arguments: text } });

describe("5e streaming", () => {
  it("70 returns the same stream wherever the bytes are split", async () => {
    const bytes = Buffer.from(
      chatStream(
        [
          { role: "assistant", content: "" },
          { content: "é🙂" },
          tool(0, named("c", "f")),
          tool(0, args('{"a":"漢"}')),
        ],
        "tool_calls",
      ),
    );
    const whole = await toMessages([bytes]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 5 }), async (cuts) => {
        const positions = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = positions
          .slice(1)
          .map((position, index) => bytes.subarray(positions[index], position));
        const cut = await toMessages(pieces);
        const joined = cut.events.map((event) => event.data.replace(/msg_\w+/g, "msg"));
        expect(joined).toEqual(whole.events.map((event) => event.data.replace(/msg_\w+/g, "msg")));
      }),
      { numRuns: 40 },
    );
  });

  it("71 writes messages events in order with contiguous indexes and one open block at a time", async () => {
    const received = await toMessages(
      chatStream(
        [{ reasoning_content: "Hm" }, { content: "So" }, tool(0, named("c", "f", "{}"))],
        "tool_calls",
      ),
    );
    expect(types(received)).toEqual([
      "message_start",
      ...["content_block_start", "content_block_delta", "content_block_delta", "content_block_stop"],
      ...["content_block_start", "content_block_delta", "content_block_stop"],
      ...["content_block_start", "content_block_delta", "content_block_stop"],
      "message_delta",
      "message_stop",
    ]);
    expect(received.events.map((event) => event.event)).toEqual(types(received));
    expect(blocks(received).map((block) => block["type"])).toEqual(["thinking", "text", "tool_use"]);
    expect(
      received.data.filter((event) => event["type"] === "content_block_stop").map((event) => event["index"]),
    ).toEqual([0, 1, 2]);
  });

  it("72 writes no empty text block before a call or thinking", async () => {
    const received = await toMessages(
      chatStream(
        [{ role: "assistant", content: "" }, { content: null }, tool(0, named("c", "f", "{}"))],
        "tool_calls",
      ),
    );
    expect(blocks(received).map((block) => block["type"])).toEqual(["tool_use"]);
  });

  it("73 writes interleaved calls as consecutive blocks, without loss", async () => {
    const received = await toMessages(
      chatStream(
        [
          tool(0, named("a", "f")),
          tool(1, named("b", "g")),
          tool(0, args('{"x"')),
          tool(1, args('{"y"')),
          tool(0, args(":1}")),
          tool(1, args(":2}")),
        ],
        "tool_calls",
      ),
    );
    expect(blocks(received).map((block) => block["id"])).toEqual(["a", "b"]);
    expect([inputOf(received, 0), inputOf(received, 1)]).toEqual(['{"x":1}', '{"y":2}']);
  });

  it.each<[string, Json[], [string, string][]]>([
    ["id and name only in the first", [tool(0, named("a", "get")), tool(0, args("{}"))], [["get", "{}"]]],
    [
      "the name split over chunks",
      [tool(0, named("a", "get_")), tool(0, { function: { name: "weather" } }), tool(0, args("{}"))],
      [["get_weather", "{}"]],
    ],
    [
      "no index",
      [
        tool(undefined, named("a", "f", '{"x"')),
        tool(undefined, args(":1}")),
        tool(undefined, named("b", "g", "{}")),
      ],
      [
        ["f", '{"x":1}'],
        ["g", "{}"],
      ],
    ],
    [
      "a new id with the same index",
      [tool(0, named("a", "f", "{}")), tool(0, named("b", "g", "{}"))],
      [
        ["f", "{}"],
        ["g", "{}"],
      ],
    ],
    [
      "the id repeated on each chunk",
      [tool(0, named("a", "f", '{"x"')), tool(0, { id: "a", ...args(":1}") })],
      [["f", '{"x":1}']],
    ],
    [
      "the name repeated on each chunk",
      [tool(0, named("a", "f", "{")), tool(0, named("a", "f", "}"))],
      [["f", "{}"]],
    ],
    ["complete arguments in one piece", [tool(0, named("a", "f", '{"x":1}'))], [["f", '{"x":1}']]],
    [
      "arguments as an object",
      [tool(0, { id: "a", function: { name: "f", arguments: { x: 1 } } })],
      [["f", '{"x":1}']],
    ],
    ["no arguments at all", [tool(0, named("a", "f"))], [["f", ""]]],
    ["no id", [tool(0, { function: { name: "f", arguments: "{}" } })], [["f", "{}"]]],
    [
      "an index only after the first chunk",
      [tool(undefined, named("a", "f", '{"x"')), tool(0, args(":1}"))],
      [["f", '{"x":1}']],
    ],
    ...[undefined, 0].flatMap((index): [string, Json[], [string, string][]][] => [
      [
        `no ids, all at index ${index}, two names`,
        [tool(index, named("", "f", '{"x":1}')), tool(index, named("", "g", "{}"))],
        [
          ["f", '{"x":1}'],
          ["g", "{}"],
        ],
      ],
      [
        `no ids, all at index ${index}, one name twice`,
        [tool(index, named("", "f", '{"x":1}')), tool(index, named("", "f", '{"x":2}'))],
        [
          ["f", '{"x":1}'],
          ["f", '{"x":2}'],
        ],
      ],
      [
        `no id at index ${index}, the name repeated`,
        [tool(index, named("", "f", '{"x"')), tool(index, named("", "f", ":1}"))],
        [["f", '{"x":1}']],
      ],
    ]),
  ])("74 converts tool deltas: %s", async (_, deltas, expected) => {
    const received = await toMessages(chatStream(deltas, "tool_calls"));
    expect(blocks(received).map((block, index) => [block["name"], inputOf(received, index)])).toEqual(
      expected,
    );
    for (const block of blocks(received)) expect(block["id"]).toMatch(/^[a-zA-Z0-9_-]+$/);
  });

  it("75 streams arguments as they arrive", async () => {
    const received = await toMessages(
      chatStream([tool(0, named("a", "f")), tool(0, args('{"x"')), tool(0, args(":1}"))], "tool_calls"),
    );
    const deltas = received.data.filter(
      (event) => (event["delta"] as Json | undefined)?.["type"] === "input_json_delta",
    );
    expect(deltas.map((event) => (event["delta"] as Json)["partial_json"])).toEqual(['{"x"', ":1}"]);
  });

  it("77 writes thinking, its signature, then the end of the block; redacted thinking has no deltas", async () => {
    const received = await runScene({
      client: "responses",
      upstream: "messages",
      body: { model: "m", input: "Hi", stream: true, store: false, include: ["reasoning.encrypted_content"] },
      response: messagesStream([
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "thinking", thinking: "", signature: "" },
        },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
        { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "cmVk" } },
        { type: "content_block_stop", index: 1 },
      ]),
    });
    expect(received.text).toContain("sally1.messages.c2ln");
    expect(types(received).at(-1)).toBe("response.completed");
    const chat = await toMessages(chatStream([{ reasoning: "Hm" }, { content: "So" }]));
    const deltas = chat.data
      .filter((event) => event["index"] === 0 && event["delta"])
      .map((event) => event["delta"]);
    expect(deltas).toEqual([
      { type: "thinking_delta", thinking: "Hm" },
      { type: "signature_delta", signature: "sally1.chat-completions." },
    ]);
  });

  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };

  it("78 accepts chunks without content or choices, and content and usage with or after the finish", async () => {
    const chunks: Json[] = [
      { ...head, id: "", model: "", choices: [] },
      { ...head, choices: [{ index: 0, delta: { role: "assistant" }, finish_reason: null }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: null }] },
      { ...head, choices: [] },
      { ...head, choices: [{ index: 0, delta: { content: "A" }, finish_reason: "stop" }] },
      { ...head, choices: [{ index: 0, delta: { content: "B" }, finish_reason: null }] },
      { ...head, choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } },
    ];
    const received = await toMessages(sse("chat-completions", chunks));
    expect(received.text).toContain('"text":"A"');
    expect(received.text).toContain('"text":"B"');
    expect(received.data.at(-2)).toMatchObject({
      delta: { stop_reason: "end_turn" },
      usage: { input_tokens: 7, output_tokens: 2 },
    });
  });

  it("79 requests usage from every upstream, returns it only if requested, and uses the last report", async () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 0,
      output_tokens: 4,
    };
    const asked = await toChat(messagesStream([], "end_turn", usage));
    expect(asked.data.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 4,
        total_tokens: 11,
        prompt_tokens_details: { cached_tokens: 2 },
      },
    });
    const unasked = await toChat(messagesStream([]), { body: { model: "m", stream: true, messages: [hi] } });
    expect(unasked.text).not.toContain("usage");
    const received = await toMessages(chatStream([{ content: "a" }]));
    expect(received.sent["stream_options"]).toEqual({ include_usage: true });
  });

  it("80 writes an estimate in message_start if the count is unknown, and the count in message_delta", async () => {
    const received = await toMessages(
      chatStream([{ content: "a" }], "stop", {
        prompt_tokens: 1047,
        completion_tokens: 57,
        prompt_tokens_details: { cached_tokens: 1000 },
      }),
    );
    expect(received.data[0]).toMatchObject({
      message: { usage: { input_tokens: expect.any(Number), output_tokens: 0 } },
    });
    expect(received.data.at(-2)?.["usage"]).toEqual({
      input_tokens: 47,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 1000,
      output_tokens: 57,
    });
  });

  it("80 keeps the estimate of message_start if the upstream never reports a count", async () => {
    const received = await toMessages(chatStream([{ content: "a" }]));
    expect(received.data[0]).toMatchObject({ message: { usage: { input_tokens: expect.any(Number) } } });
    expect(received.data.at(-2)?.["usage"]).toEqual({ output_tokens: 0 });
  });

  it.each([true, false])(
    "69 reads a complete list of stream events as a stream (streamed to the client: %s)",
    async (stream) => {
      const chunk = (text: string, more: Json = {}) => ({
        candidates: [{ content: { role: "model", parts: [{ text }] }, ...more }],
      });
      const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2 };
      const list = [chunk("dé"), { ...chunk("jà", { finishReason: "STOP" }), usageMetadata }];
      const body = { model: "m", stream, messages: [hi] };
      const ask = { client: "chat-completions", upstream: "generative-language", body } as const;
      const received = await runScene({ ...ask, response: JSON.stringify(list) });
      expect([received.status, received.losses]).toEqual([200, []]);
      if (stream) {
        const texts = received.data.map((one) => Object(one["choices"])[0]?.delta?.content ?? "");
        expect([texts.join(""), received.text.endsWith("data: [DONE]\n\n")]).toEqual(["déjà", true]);
      } else
        expect(received.json).toMatchObject({
          choices: [{ message: { content: "déjà" }, finish_reason: "stop" }],
          usage: { prompt_tokens: 3, completion_tokens: 2 },
        });
      const cut = await runScene({ ...ask, response: JSON.stringify(list.slice(0, 1)) });
      expect(stream ? cut.text : cut.status).toEqual(stream ? expect.stringContaining('"error"') : 502);
      expect(cut.text).not.toContain("[DONE]");
    },
  );

  it("82 ends chat-completions and completions, and no other dialect, with [DONE]", async () => {
    expect((await toChat(messagesStream([]))).events.at(-1)?.data).toBe("[DONE]");
    expect((await toMessages(chatStream([{ content: "a" }]))).text).not.toContain("[DONE]");
    const older = await runScene({
      client: "completions",
      upstream: "messages",
      body: { model: "m", prompt: "Hi", stream: true },
      response: messagesStream([
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "a" } },
        { type: "content_block_stop", index: 0 },
      ]),
    });
    expect(older.data.map((event) => (event["choices"] as Json[])[0]?.["text"]).join("")).toBe("a");
    expect(older.events.at(-1)?.data).toBe("[DONE]");
  });

  it("83 returns one JSON array for generative-language without alt=sse, also after an error", async () => {
    const body = { model: "m", contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
    const received = await runScene({
      client: "generative-language",
      upstream: "chat-completions",
      body,
      array: true,
      response: chatStream([{ content: "a" }, { content: "b" }]),
    });
    expect(Array.isArray(received.json)).toBe(true);
    expect(received.headers["content-type"]).toContain("application/json");
    const cut = await runScene({
      client: "generative-language",
      upstream: "chat-completions",
      body,
      array: true,
      response: `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { content: "a" } }] })}\n\n`,
    });
    expect(JSON.stringify(cut.json)).toContain('"error"');
  });

  it("84 forwards an upstream's pings in the client's form", async () => {
    const received = await toChat(messagesStream([{ type: "ping" }]));
    expect(received.text).toMatch(/^: /m);
    const both = await runScene({
      client: "messages",
      upstream: "messages",
      body: messagesBody,
      response: messagesStream([{ type: "ping" }]),
    });
    expect(types(both)).toContain("ping");
  });

  const begun = messagesStream([
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "So" } },
  ]).replace(/event: message_delta[\s\S]*$/, "");

  it("85 ends a stream with the dialect's own error after a failure, and nothing after it", async () => {
    const overloaded = `${begun}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`;
    const chat = await toChat(overloaded);
    expect(chat.status).toBe(200);
    expect(chat.data.at(-1)).toMatchObject({ error: { message: "Overloaded" } });
    expect(chat.text).not.toContain("[DONE]");
    expect(chat.text).not.toContain('"finish_reason":"stop"');
    const responses = await runScene({
      client: "responses",
      upstream: "messages",
      body: { model: "m", input: "Hi", stream: true },
      response: overloaded,
    });
    expect(types(responses).at(-1)).toMatch(/^(response\.failed|error)$/);
    const cut = await toMessages(
      chatStream([{ content: "a" }]).replace(
        /data: \{[^\n]*"finish_reason":"stop"[\s\S]*$/,
        'data: {"error":{"message":"gone"}}\n\n',
      ),
    );
    expect(cut.data.at(-1)).toEqual({ type: "error", error: { type: "api_error", message: "gone" } });
  });

  it("85 returns the status for a failure before the first content", async () => {
    const received = await toChat(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    );
    expect([received.status, received.json]).toMatchObject([503, { error: { message: "Overloaded" } }]);
  });

  it("86 reports the end of a stream without a terminal event as an error, but accepts a missing [DONE]", async () => {
    const cut = await toChat(begun);
    expect(cut.data.at(-1)).toHaveProperty("error");
    const done = await toMessages(chatStream([{ content: "a" }]).replace("data: [DONE]\n\n", ""));
    expect(types(done).at(-1)).toBe("message_stop");
  });

  it("86 reports a broken connection as an error", async () => {
    const received = await toChat([begun], {
      breaks: new AppError("upstream_cut", "The response was interrupted."),
    });
    expect(received.data.at(-1)).toMatchObject({ error: { message: "The response was interrupted." } });
  });

  it("reports an event that is not JSON, or of a wrong type, as one error and ends", async () => {
    for (const bad of ["data: {broken\n\n", 'data: {"type":7}\n\n', "data: []\n\n"]) {
      const received = await toChat(`${begun}${bad}${begun}`);
      expect(received.events.filter((event) => event.data.includes('"error"'))).toHaveLength(1);
      expect(received.data.at(-1)).toHaveProperty("error");
    }
  });

  it("reports an event that is too large as an error instead of buffering it", async () => {
    const received = await toChat([begun, `data: ${"x".repeat(9 * 1024 * 1024)}`]);
    expect(received.data.at(-1)).toHaveProperty("error");
  });

  it("ignores data after the terminal event", async () => {
    const received = await toMessages(
      `${chatStream([{ content: "a" }])}data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { content: "late" } }] })}\n\n`,
    );
    expect(received.text).not.toContain("late");
    expect(types(received).at(-1)).toBe("message_stop");
  });

  it("reports a call whose arguments are not a JSON object as an error, unless the response was truncated", async () => {
    const deltas = [tool(0, named("a", "f")), tool(0, args('{"x":'))];
    expect((await toMessages(chatStream(deltas, "tool_calls"))).data.at(-1)).toMatchObject({ type: "error" });
    const cut = await toMessages(chatStream(deltas, "length"));
    expect(cut.data.at(-2)).toMatchObject({ delta: { stop_reason: "max_tokens" } });
  });

  it("90 sets the headers of a stream", async () => {
    expect((await toChat(messagesStream([]))).headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
  });

  it("91 leaves stop sequences to the upstream and returns the one that the upstream reports", async () => {
    const body = { ...messagesBody, stop_sequences: ["END"] };
    const cut = await toMessages(chatStream([{ content: "a E" }, { content: "N" }, { content: "Ding" }]), {
      body,
    });
    const text = cut.data.map((event) => (event["delta"] as Json | undefined)?.["text"] ?? "").join("");
    expect(text).toBe("a ENDing");
    expect(cut.data.at(-2)).toMatchObject({ delta: { stop_reason: "end_turn", stop_sequence: null } });
    const matched = messagesStream([], "stop_sequence").replace(
      /"stop_sequence":null\}(?!.*"stop_sequence":null\})/s,
      '"stop_sequence":"END"}',
    );
    const received = await runScene({ client: "messages", upstream: "messages", body, response: matched });
    expect(received.data.at(-2)).toMatchObject({
      delta: { stop_reason: "stop_sequence", stop_sequence: "END" },
    });
  });

  it("92 shares no state between concurrent streams", async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        toMessages(
          chatStream([{ content: `word-${index}` }, tool(0, named(`c${index}`, "f", "{}"))], "tool_calls"),
        ),
      ),
    );
    for (const [index, received] of all.entries()) {
      expect(received.text.match(/word-\d+/g)).toEqual([`word-${index}`]);
      expect(blocks(received)[1]?.["id"]).toBe(`c${index}`);
    }
  });

  it("69 accepts JSON for a stream request, and a stream for a JSON request", async () => {
    const streamed = await toMessages(
      chatResponse({ content: "a", tool_calls: [named("c", "f", '{"x":1}')] }, "tool_calls"),
    );
    expect(types(streamed).at(-1)).toBe("message_stop");
    expect([blocks(streamed).map((block) => block["type"]), inputOf(streamed, 1)]).toEqual([
      ["text", "tool_use"],
      '{"x":1}',
    ]);
    const whole = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: { ...messagesBody, stream: undefined },
      response: chatStream([{ content: "a" }, { content: "b" }]),
    });
    expect(whole.json).toMatchObject({
      type: "message",
      content: [{ type: "text", text: "ab" }],
      stop_reason: "end_turn",
    });
  });
});
