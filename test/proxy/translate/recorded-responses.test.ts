import { describe, expect, it } from "vitest";
import type { Dialect } from "../../../src/proxy/exchange/parts.ts";
import {
  chatResponse,
  chatStream,
  type Json,
  messagesResponse,
  messagesStream,
  runScene,
  sse,
} from "./harness.ts";

/** Recorded responses of vendors and servers, and their translations for every client. */
const hi = { role: "user", content: "Hi" };
const bodies = {
  "chat-completions": { model: "m", messages: [hi] },
  responses: { model: "m", input: "Hi" },
  messages: { model: "m", max_tokens: 9, messages: [hi] },
  "generative-language": { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
} as const;
type Client = keyof typeof bodies;
const clients = Object.keys(bodies) as Client[];
const not = (dialect: Dialect) => clients.filter((client) => client !== dialect);

const ask = (client: Client, upstream: Client, response: Json | string) => {
  const stream = typeof response === "string";
  const isGoogle = client === "generative-language";
  return runScene({
    client,
    upstream,
    body: { ...bodies[client], ...(stream && !isGoogle ? { stream } : {}) },
    response,
    ...(stream && isGoogle ? { array: false } : {}),
  });
};

/** Returns a candidate of generative-language that ends with this reason, as a whole response and as a stream. */
const ended = (finishReason: string, more: Json = {}, parts: Json[] = []) => {
  const chunk = { candidates: [{ content: { role: "model", parts }, finishReason, ...more }] };
  return [chunk, sse("generative-language", [chunk])] as const;
};

describe("56 finish reasons of generative-language without content", () => {
  const finishMessage = "The response violated Responsible AI Safety settings.";
  const filtered: Record<string, RegExp> = {
    "chat-completions": /"finish_reason":"content_filter"/,
    responses: /"incomplete_details":\{"reason":"content_filter"\}/,
    messages: /"stop_reason":"refusal".*violated/,
  };

  it.each(not("generative-language"))(
    "are content-filter if Model Armor blocked the response (%s)",
    async (client) => {
      for (const response of ended("MODEL_ARMOR", { finishMessage }))
        expect((await ask(client, "generative-language", response)).text).toMatch(filtered[client] ?? /^$/);
    },
  );

  it.each(not("generative-language"))(
    "are an error if there is no content and no known reason (%s)",
    async (client) => {
      for (const reason of ["OTHER", "NO_IMAGE", "IMAGE_OTHER", "SOMETHING_NEW"])
        for (const response of ended(reason, { finishMessage: "No picture was made." })) {
          const received = await ask(client, "generative-language", response);
          expect(received.text).toContain("No picture was made.");
          expect(received.text).toContain("error");
          expect(received.status).toBe(typeof response === "string" ? 200 : 502);
        }
    },
  );

  it("are not an error if there is content", async () => {
    for (const response of ended("NO_IMAGE", {}, [{ text: "I cannot draw." }])) {
      const received = await ask("chat-completions", "generative-language", response);
      expect(received.text).toContain("I cannot draw.");
      expect(received.text).toContain('"finish_reason":"stop"');
    }
  });
});

describe("61 a response that Azure's filter stopped without a message", () => {
  const filtered = { ...chatResponse({}), choices: [{ index: 0, finish_reason: "content_filter" }] };

  it.each([
    ["responses", /"content_filter"/],
    ["messages", /"stop_reason":"refusal"/],
    ["generative-language", /"finishReason":"SAFETY"/],
  ] as const)("is returned to %s clients as filtered", async (client, expected) => {
    const received = await ask(client, "chat-completions", filtered);
    expect(received.status).toBe(200);
    expect(received.text).toMatch(expected);
  });

  it("is an error if no filter is named", async () => {
    const response = { ...filtered, choices: [{ index: 0, finish_reason: "stop" }] };
    expect((await ask("messages", "chat-completions", response)).status).toBe(502);
  });
});

describe("81 a responses stream whose text moves within its item", () => {
  const head = { output_index: 1, item_id: "msg_1" };
  const item = { type: "message", id: "msg_1", role: "assistant", status: "completed" };
  const content = [{ type: "output_text", text: "Hello", annotations: [] }];
  const response = { id: "resp_1", object: "response", status: "completed" };
  const thinking = { type: "reasoning", id: "rs_1", summary: [], content: [] };
  const deltas: Json[] = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: thinking },
    { type: "response.output_item.done", output_index: 0, item: thinking },
    { type: "response.output_item.added", output_index: 1, item: { ...item, content: [] } },
    { ...head, type: "response.output_text.delta", content_index: 1, delta: "Hel" },
    { ...head, type: "response.output_text.delta", content_index: 1, delta: "lo" },
  ];
  const itemDone = { type: "response.output_item.done", output_index: 1, item: { ...item, content } };
  const completed = {
    type: "response.completed",
    response: { ...response, output: [thinking, { ...item, content }] },
  };
  const textDone = (at: number) => ({
    ...head,
    type: "response.output_text.done",
    content_index: at,
    text: "Hello",
  });

  it.each(not("responses"))("is returned once to %s clients", async (client) => {
    for (const ends of [[textDone(1), itemDone], [textDone(0), itemDone], [itemDone], []]) {
      const received = await ask(client, "responses", sse("responses", [...deltas, ...ends, completed]));
      expect(received.text.replace(/"(?:text|content)":""/g, "").match(/Hel/g)).toHaveLength(1);
      expect(received.text.match(/lo"/g)).toHaveLength(1);
    }
  });

  it("keeps a second text of an item separate", async () => {
    const two = [...content, { type: "output_text", text: "Hello too", annotations: [] }];
    const done = { type: "response.output_item.done", output_index: 1, item: { ...item, content: two } };
    const last = { ...completed, response: { ...response, output: [thinking, { ...item, content: two }] } };
    const received = await ask("messages", "responses", sse("responses", [...deltas, done, last]));
    const texts = received.data.map((event) => (event["delta"] as Json | undefined)?.["text"] ?? "").join("");
    expect(texts).toBe("HelloHello too");
  });
});

describe("74 calls with an empty custom call next to the function's", () => {
  const named = { name: "get_weather", arguments: '{"city":"Oslo"}' };
  const call = { id: "c1", type: "function", custom: { input: "", name: "" }, function: named };
  const pieces = [
    { tool_calls: [{ ...call, index: 0, function: { ...named, arguments: "" } }] },
    { tool_calls: [{ ...call, index: 0, id: "", function: { name: "", arguments: '{"city":' } }] },
    { tool_calls: [{ index: 0, custom: { input: "" }, function: { arguments: '"Oslo"}' } }] },
  ];

  it.each(not("chat-completions"))("are function calls (%s)", async (client) => {
    for (const response of [chatResponse({ tool_calls: [call] }, ""), chatStream(pieces, "")]) {
      const received = await ask(client, "chat-completions", response);
      expect(received.text).not.toContain("custom");
      expect(received.text).toContain("get_weather");
      expect(received.text.replaceAll("\\", "")).toMatch(/"city":|city/);
      expect(received.text).toContain("Oslo");
    }
  });

  it("end a generative-language response with STOP, as do `eos` and an absent reason", async () => {
    for (const finish of ["", "eos"]) {
      const whole = await ask(
        "generative-language",
        "chat-completions",
        chatResponse({ content: "x" }, finish),
      );
      expect(whole.text).toContain('"finishReason":"STOP"');
      const stream = await ask(
        "generative-language",
        "chat-completions",
        chatStream([{ content: "x" }], finish),
      );
      expect(stream.text).toContain('"finishReason":"STOP"');
    }
  });
});

describe("78 lists in a chat stream, as openai-python and openai-node merge them", () => {
  const page = (url: string) => ({ type: "url_citation", url_citation: { url, title: url } });
  const thought = (index: number, id: string): Json[] => [
    { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index, delta: { type: "thinking_delta", thinking: `Hm ${id}` } },
    { type: "content_block_delta", index, delta: { type: "signature_delta", signature: id } },
    { type: "content_block_stop", index },
  ];
  const textEvents = (index: number): Json[] => [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index, delta: { type: "text_delta", text: "So." } },
    { type: "content_block_stop", index },
  ];
  const deltasOf = (received: { data: readonly Json[] }) =>
    received.data.flatMap((chunk) => (chunk["choices"] as { delta: Json }[]).map(({ delta }) => delta));

  it("are written once and completely, each entry with its index", async () => {
    const response = messagesStream([
      ...thought(0, "c2ln"),
      ...textEvents(1),
      ...thought(2, "c2lo"),
      ...textEvents(3),
    ]);
    const lists = deltasOf(await ask("chat-completions", "messages", response)).filter(
      (delta) => "reasoning_details" in delta,
    );
    expect(lists).toEqual([
      {
        reasoning_details: [
          { index: 0, type: "reasoning.text", text: "Hm c2ln", signature: "sally1.messages.c2ln" },
          { index: 1, type: "reasoning.text", text: "Hm c2lo", signature: "sally1.messages.c2lo" },
        ],
      },
    ]);
  });

  it("are merged into one list of citations", async () => {
    const annotations = ["https://a.example", "https://b.example"].map(page);
    const content = (text: string, at: number) => ({
      type: "output_text",
      text,
      annotations: [{ ...page("x").url_citation, type: "url_citation", ...annotations[at]?.url_citation }],
    });
    const item = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [content("One.", 0), content("Two.", 1)],
    };
    const response = { id: "resp_1", object: "response", status: "completed", output: [item] };
    const received = await ask(
      "chat-completions",
      "responses",
      sse("responses", [{ type: "response.completed", response }]),
    );
    const lists = deltasOf(received).filter((delta) => "annotations" in delta);
    expect(lists).toMatchObject([
      {
        annotations: [
          { index: 0, url_citation: { url: "https://a.example" } },
          { index: 1, url_citation: { url: "https://b.example" } },
        ],
      },
    ]);
  });
});

describe("80 output tokens in message_start", () => {
  it("are zero, because message_delta reports all of them", async () => {
    const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 };
    const [chunk] = ended("STOP", {}, [{ text: "Hello" }]);
    const received = await ask(
      "messages",
      "generative-language",
      sse("generative-language", [{ ...chunk, usageMetadata }]),
    );
    expect(received.data[0]).toMatchObject({ message: { usage: { input_tokens: 7, output_tokens: 0 } } });
    const delta = received.data.find((event) => event["type"] === "message_delta");
    expect(delta?.["usage"]).toMatchObject({ input_tokens: 7, output_tokens: 5 });
  });
});

describe("56 a response that pauses", () => {
  it.each([
    ["chat-completions", '"finish_reason":"length"'],
    ["responses", '"status":"incomplete"'],
    ["generative-language", '"finishReason":"MAX_TOKENS"'],
  ] as const)("is not reported as complete to %s clients", async (client, expected) => {
    const responses = [
      messagesResponse([{ type: "text", text: "Searching" }], "pause_turn"),
      messagesStream(
        [
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Searching" } },
          { type: "content_block_stop", index: 0 },
        ],
        "pause_turn",
      ),
    ];
    for (const response of responses)
      expect((await ask(client, "messages", response)).text).toContain(expected);
  });
});

describe("65 the name of the responding model", () => {
  const whole = { ...chatResponse({ content: "Hi" }), model: "m-2026-11-01" };
  const stream = chatStream([{ content: "Hi" }]).replaceAll('"model":"m"', '"model":"m-2026-11-01"');

  it.each(not("chat-completions"))(
    "is returned to %s clients, unless a rule has renamed the model",
    async (client) => {
      for (const response of [whole, stream]) {
        const isStream = typeof response === "string";
        const isGoogle = client === "generative-language";
        const scene = {
          client,
          upstream: "chat-completions" as const,
          body: { ...bodies[client], model: "m", ...(isStream && !isGoogle ? { stream: true } : {}) },
          response,
          ...(isStream && isGoogle ? { array: false } : {}),
        };
        expect((await runScene({ ...scene, model: "m" })).text).toContain("m-2026-11-01");
        expect((await runScene({ ...scene, model: "renamed" })).text).not.toContain("m-2026-11-01");
      }
    },
  );
});

describe("37 a request for encrypted reasoning", () => {
  it.each(["messages", "generative-language"] as const)(
    "does not switch thinking on (%s)",
    async (upstream) => {
      const body = {
        model: "m",
        input: "Hi",
        temperature: 0.5,
        include: ["reasoning.encrypted_content"],
      };
      const received = await runScene({ client: "responses", upstream, body });
      expect(received.sentText).not.toContain("hinking");
      expect(received.sentText).toContain('"temperature":0.5');
    },
  );
});

describe("94 the message of an error", () => {
  const problems = [{ type: "extra_forbidden", loc: ["body", "x"], msg: "Extra inputs are not permitted" }];

  it.each([
    { object: "error", message: { detail: problems } },
    { detail: problems },
    { detail: "Extra inputs are not permitted" },
    { error: { detail: problems } },
    { message: [{ msg: "Extra inputs are not permitted" }] },
  ])("is found in every member in which FastAPI servers send it (%j)", async (body) => {
    for (const client of not("chat-completions")) {
      const received = await runScene({
        client,
        upstream: "chat-completions",
        body: bodies[client],
        response: body as Json,
        status: 422,
      });
      expect([received.status, received.text.includes("Extra inputs are not permitted")]).toEqual([
        422,
        true,
      ]);
    }
  });
});

describe("66 response members that Open Responses and openai-openapi require", () => {
  it.each(["stop", "length"])(
    "are present if the response ends with %s, complete and streamed",
    async (finish) => {
      const whole = await ask("responses", "chat-completions", chatResponse({ content: "Hi" }, finish));
      const stream = await ask("responses", "chat-completions", chatStream([{ content: "Hi" }], finish));
      for (const response of [whole.json, stream.data.at(-1)?.["response"] as Json])
        expect(response).toMatchObject({
          presence_penalty: 0,
          frequency_penalty: 0,
          safety_identifier: null,
          completed_at: finish === "stop" ? expect.any(Number) : null,
          usage: { input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } },
        });
    },
  );
});
