import { describe, expect, it } from "vitest";
import type { Dialect } from "../../../src/proxy/exchange/parts.ts";
import { chatAnswer, chatStream, type Json, sse, tell } from "./harness.ts";

/** Answers as vendors and servers were recorded to give them, and what every client is told of them. */
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

const ask = (client: Client, upstream: Client, answer: Json | string) => {
  const stream = typeof answer === "string";
  const isGoogle = client === "generative-language";
  return tell({
    client,
    upstream,
    body: { ...bodies[client], ...(stream && !isGoogle ? { stream } : {}) },
    answer,
    ...(stream && isGoogle ? { array: false } : {}),
  });
};

/** A candidate of generative-language that ends with this reason, whole and as a stream. */
const ended = (finishReason: string, more: Json = {}, parts: Json[] = []) => {
  const chunk = { candidates: [{ content: { role: "model", parts }, finishReason, ...more }] };
  return [chunk, sse("generative-language", [chunk])] as const;
};

describe("56 reasons of generative-language to end without an answer", () => {
  const finishMessage = "The response violated Responsible AI Safety settings.";
  const filtered: Record<string, RegExp> = {
    "chat-completions": /"finish_reason":"content_filter"/,
    responses: /"incomplete_details":\{"reason":"content_filter"\}/,
    messages: /"stop_reason":"refusal".*violated/,
  };

  it.each(not("generative-language"))("are a filter's where Model Armor blocked (%s)", async (client) => {
    for (const answer of ended("MODEL_ARMOR", { finishMessage }))
      expect((await ask(client, "generative-language", answer)).text).toMatch(filtered[client] ?? /^$/);
  });

  it.each(not("generative-language"))(
    "are an error where nothing came and nobody knows why (%s)",
    async (client) => {
      for (const reason of ["OTHER", "NO_IMAGE", "IMAGE_OTHER", "SOMETHING_NEW"])
        for (const answer of ended(reason, { finishMessage: "No picture was made." })) {
          const told = await ask(client, "generative-language", answer);
          expect(told.text).toContain("No picture was made.");
          expect(told.text).toContain("error");
          expect(told.status).toBe(typeof answer === "string" ? 200 : 502);
        }
    },
  );

  it("are no error where there are words", async () => {
    for (const answer of ended("NO_IMAGE", {}, [{ text: "I cannot draw." }])) {
      const told = await ask("chat-completions", "generative-language", answer);
      expect(told.text).toContain("I cannot draw.");
      expect(told.text).toContain('"finish_reason":"stop"');
    }
  });
});

describe("61 an answer that Azure's filter stopped has no message", () => {
  const filtered = { ...chatAnswer({}), choices: [{ index: 0, finish_reason: "content_filter" }] };

  it.each([
    ["responses", /"content_filter"/],
    ["messages", /"stop_reason":"refusal"/],
    ["generative-language", /"finishReason":"SAFETY"/],
  ] as const)("which %s clients are told as such", async (client, said) => {
    const told = await ask(client, "chat-completions", filtered);
    expect(told.status).toBe(200);
    expect(told.text).toMatch(said);
  });

  it("which is an error where no filter is named", async () => {
    const answer = { ...filtered, choices: [{ index: 0, finish_reason: "stop" }] };
    expect((await ask("messages", "chat-completions", answer)).status).toBe(502);
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

  it.each(not("responses"))("tells it once to %s clients", async (client) => {
    for (const ends of [[textDone(1), itemDone], [textDone(0), itemDone], [itemDone], []]) {
      const told = await ask(client, "responses", sse("responses", [...deltas, ...ends, completed]));
      expect(told.text.replace(/"(?:text|content)":""/g, "").match(/Hel/g)).toHaveLength(1);
      expect(told.text.match(/lo"/g)).toHaveLength(1);
    }
  });

  it("keeps a second text of an item apart", async () => {
    const two = [...content, { type: "output_text", text: "Hello too", annotations: [] }];
    const done = { type: "response.output_item.done", output_index: 1, item: { ...item, content: two } };
    const last = { ...completed, response: { ...response, output: [thinking, { ...item, content: two }] } };
    const told = await ask("messages", "responses", sse("responses", [...deltas, done, last]));
    const texts = told.data.map((event) => (event["delta"] as Json | undefined)?.["text"] ?? "").join("");
    expect(texts).toBe("HelloHello too");
  });
});

describe("74 calls that hold an empty custom call beside the function's", () => {
  const named = { name: "get_weather", arguments: '{"city":"Oslo"}' };
  const call = { id: "c1", type: "function", custom: { input: "", name: "" }, function: named };
  const pieces = [
    { tool_calls: [{ ...call, index: 0, function: { ...named, arguments: "" } }] },
    { tool_calls: [{ ...call, index: 0, id: "", function: { name: "", arguments: '{"city":' } }] },
    { tool_calls: [{ index: 0, custom: { input: "" }, function: { arguments: '"Oslo"}' } }] },
  ];

  it.each(not("chat-completions"))("are the function's (%s)", async (client) => {
    for (const answer of [chatAnswer({ tool_calls: [call] }, ""), chatStream(pieces, "")]) {
      const told = await ask(client, "chat-completions", answer);
      expect(told.text).not.toContain("custom");
      expect(told.text).toContain("get_weather");
      expect(told.text.replaceAll("\\", "")).toMatch(/"city":|city/);
      expect(told.text).toContain("Oslo");
    }
  });

  it("end a generative-language answer with STOP, as do `eos` and nothing at all", async () => {
    for (const finish of ["", "eos"]) {
      const whole = await ask(
        "generative-language",
        "chat-completions",
        chatAnswer({ content: "x" }, finish),
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
