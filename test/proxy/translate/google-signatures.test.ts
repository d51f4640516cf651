import { describe, expect, it } from "vitest";
import type { Dialect } from "../../../src/proxy/exchange/parts.ts";
import { chatResponse, chatStream, type Json, runScene, sse } from "./harness.ts";

/**
 * Gemini 3 also signs its texts, in streams by a last part without text, and asks clients to send the signature back
 * (https://ai.google.dev/gemini-api/docs/thought-signatures). These tests check the signature in both directions.
 */
const hi = { role: "user", content: "Hi" };
const head = { modelVersion: "m", responseId: "r" };
const candidate = (parts: Json[], more: Json = {}): Json => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  ...head,
});
const signature = "c2ln";
const whole = candidate([{ text: "Yes.", thoughtSignature: signature }], { finishReason: "STOP" });
const streamed = sse("generative-language", [
  candidate([{ text: "Ye" }]),
  candidate([{ text: "s." }]),
  candidate([{ text: "", thoughtSignature: signature }], { finishReason: "STOP" }),
]);
const bodies = {
  "chat-completions": { model: "m", messages: [hi] },
  completions: { model: "m", prompt: "Hi" },
  messages: { model: "m", max_tokens: 9, messages: [hi] },
  responses: { model: "m", input: "Hi" },
} satisfies Partial<Record<Dialect, Json>>;

function ask(client: keyof typeof bodies, stream: boolean) {
  const body = { ...bodies[client], ...(stream ? { stream } : {}) };
  return runScene({ client, upstream: "generative-language", body, response: stream ? streamed : whole });
}

/** Returns the vendor's request for an assistant turn that the client received and sends back. */
async function sentBack(
  client: "chat-completions" | "responses",
  turn: Json[],
  upstream: Dialect,
  model = "m",
) {
  const list = client === "responses" ? "input" : "messages";
  const body = { model: "m", [list]: [hi, ...turn, { role: "user", content: "Go on" }] };
  const received = await runScene({ client, upstream: upstream as "messages", body, model });
  return { ...received, contents: received.sent["contents"] as { role: string; parts: Json[] }[] };
}

const inGooglesForm = { google: { thought_signature: signature } };
const textAlone = [{ text: "Yes.", thoughtSignature: signature }];

describe("42 the signature of a generative-language thought without text", () => {
  it.each([false, true])("reaches a messages client (streamed: %s)", async (stream) => {
    const parts = [{ text: "", thought: true, thoughtSignature: signature }, { text: "Yes." }];
    const response = candidate(parts, { finishReason: "STOP" });
    const received = await runScene({
      client: "messages",
      upstream: "generative-language",
      body: { ...bodies.messages, stream },
      response: stream ? sse("generative-language", [response]) : response,
    });
    const sent = stream ? JSON.stringify(received.data) : JSON.stringify(received.json);
    expect(sent).toContain('"type":"thinking"');
    expect(sent).toContain('"signature":"sally1.generative-language.c2ln"');
    expect(received.losses).toEqual([]);
  });
});

describe("42 the signature of a generative-language text", () => {
  it("is part of a chat client's message, and is restored from that message", async () => {
    const received = await ask("chat-completions", false);
    const [choice] = received.json["choices"] as { message: Json }[];
    expect(choice?.message).toMatchObject({ content: "Yes.", extra_content: inGooglesForm });
    expect(received.losses).toEqual([]);
    const next = await sentBack("chat-completions", [choice?.message ?? {}], "generative-language");
    expect(next.contents[1]?.parts).toEqual(textAlone);
  });

  it("is in a chat client's last delta without text", async () => {
    const received = await ask("chat-completions", true);
    const deltas = received.data.map((chunk) => (chunk["choices"] as { delta: Json }[])[0]?.delta ?? {});
    expect(deltas.map((delta) => delta["content"] ?? "").join("")).toBe("Yes.");
    const signed = deltas.filter((delta) => "extra_content" in delta);
    expect(signed).toEqual([{ extra_content: inGooglesForm }]);
    expect(received.losses).toEqual([]);
  });

  it.each([false, true])("is an item after a responses client's message (streamed: %s)", async (stream) => {
    const received = await ask("responses", stream);
    const response = stream ? (received.data.at(-1)?.["response"] as Json) : received.json;
    const output = response["output"] as Json[];
    expect(output).toMatchObject([
      { type: "message", content: [{ type: "output_text", text: "Yes." }] },
      { type: "reasoning", summary: [], encrypted_content: "sally1.generative-language.text.c2ln" },
    ]);
    expect(received.losses).toEqual([]);
    const next = await sentBack("responses", output, "generative-language");
    expect(next.contents[1]?.parts).toEqual(textAlone);
    const elsewhere = await sentBack("responses", output, "messages");
    expect(elsewhere.sentText).not.toContain(signature);
    expect(elsewhere.losses).toEqual(["part-signature"]);
  });

  it.each([
    ["messages", false],
    ["messages", true],
    ["completions", false],
    ["completions", true],
  ] as const)("is reported as lost to a client of %s (streamed: %s)", async (client, stream) => {
    const received = await ask(client, stream);
    expect(received.text).not.toContain(signature);
    expect(received.text).not.toContain("thinking");
    expect(received.losses).toEqual(["part-signature"]);
  });

  it("stays with its text if a call without a signature follows", async () => {
    const call = { functionCall: { name: "f", args: {} } };
    const response = candidate([...textAlone, call], { finishReason: "STOP" });
    const received = await runScene({
      client: "responses",
      upstream: "generative-language",
      body: { model: "m", input: "Hi" },
      response,
    });
    const next = await sentBack("responses", received.json["output"] as Json[], "generative-language");
    expect(next.contents[1]?.parts).toEqual([...textAlone, call]);
  });

  it.each([
    ["gpt-4o", ["call-signature", "part-signature"]],
    ["mistral-large", ["call-signature", "part-signature"]],
    ["gemini-3-pro", []],
    ["some-alias", []],
  ])(
    "is sent in Google's form to a chat upstream, unless the model %s is known to be another vendor's",
    async (model, losses) => {
      const functionCall = { name: "f", args: {} };
      const parts = [...textAlone, { functionCall, thoughtSignature: "Y2FsbA" }];
      const contents = [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts },
      ];
      const result = { functionResponse: { name: "f", response: { output: "1" } } };
      const received = await runScene({
        client: "generative-language",
        upstream: "chat-completions",
        body: { model: "m", contents: [...contents, { role: "user", parts: [result] }] },
        model,
      });
      expect([...received.losses].sort()).toEqual(losses);
      expect(received.sentText.includes("extra_content")).toBe(losses.length === 0);
    },
  );

  it("is read from the message of Google's chat endpoint, complete and streamed", async () => {
    const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
    const pair = { client: "generative-language", upstream: "chat-completions" } as const;
    const one = await runScene({
      ...pair,
      body,
      response: chatResponse({ content: "Yes.", extra_content: inGooglesForm }),
    });
    const [first] = one.json["candidates"] as { content: { parts: Json[] } }[];
    expect(first?.content.parts).toEqual(textAlone);
    const deltas = [{ content: "Yes." }, { extra_content: inGooglesForm }];
    const many = await runScene({ ...pair, body, array: false, response: chatStream(deltas) });
    const parts = many.data.flatMap(
      (chunk) => (chunk["candidates"] as (typeof first)[])[0]?.content.parts ?? [],
    );
    expect(parts.slice(0, 2)).toEqual([{ text: "Yes." }, { text: "", thoughtSignature: signature }]);
  });

  it("of a call is reported as lost to a responses upstream", async () => {
    const call = {
      id: "c",
      type: "function",
      function: { name: "f", arguments: "{}" },
      extra_content: inGooglesForm,
    };
    const turn = [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "1" },
    ];
    const received = await sentBack("chat-completions", turn, "responses");
    expect(received.sentText).not.toContain(signature);
    expect(received.losses).toEqual(["call-signature"]);
  });
});
