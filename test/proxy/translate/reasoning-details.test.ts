import { describe, expect, it } from "vitest";
import { chatResponse, chatStream, type Json, runScene, sent } from "./harness.ts";

/** The details that OpenRouter returns with a tool call of a reasoning model. Clients must send them back unchanged. */
const readable = { type: "reasoning.text", text: "I look it up.", format: "google-gemini-v1", index: 0 };
const signed = { ...readable, signature: "c2ln", format: "anthropic-claude-v1" };
const wrapped = {
  type: "reasoning.encrypted",
  data: "ZW5j",
  id: "tool_f_1",
  format: "google-gemini-v1",
  index: 1,
};
const call = { id: "tool_f_1", type: "function", function: { name: "f", arguments: "{}" } };
const tools = [{ name: "f", input_schema: { type: "object", properties: {} } }];
const claude = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Go" }], tools };
const model = "google/gemini-3-pro-preview";
const asked = { upstream: "chat-completions", model } as const;

/** Returns the second turn of a messages client that has received these blocks. */
function secondTurn(blocks: readonly Json[], more: Json = {}) {
  const result = { type: "tool_result", tool_use_id: "tool_f_1", content: "x" };
  const messages = [
    ...claude.messages,
    { role: "assistant", content: blocks },
    { role: "user", content: [result] },
  ];
  return { ...claude, messages, ...more };
}

/** Returns the blocks of a messages stream. */
function blocksOf(events: readonly Json[]): Json[] {
  const blocks: Json[] = [];
  for (const event of events) {
    if (event["type"] === "content_block_start") blocks.push({ ...(event["content_block"] as Json) });
    const block = blocks.at(-1);
    if (event["type"] !== "content_block_delta" || block === undefined) continue;
    const { type: _, ...change } = event["delta"] as Json;
    for (const [member, text] of Object.entries(change)) block[member] = `${block[member] ?? ""}${text}`;
  }
  return blocks;
}

describe("signed thinking of a chat-completions vendor", () => {
  it.each([
    ["in one piece", false],
    ["streamed", true],
  ])("40 43 is returned unchanged through a messages client, %s", async (_, stream) => {
    const details = [signed, wrapped];
    const message = {
      content: null,
      reasoning: readable.text,
      reasoning_details: details,
      tool_calls: [call],
    };
    const piece = (text: string) => ({ reasoning: text, reasoning_details: [{ ...readable, text }] });
    const { text: __, ...signature } = signed;
    const deltas = [
      piece("I look "),
      piece("it up."),
      { reasoning_details: [signature] },
      { reasoning_details: [wrapped], tool_calls: [{ index: 0, ...call }] },
    ];
    const response = stream ? chatStream(deltas, "tool_calls") : chatResponse(message, "tool_calls");
    const first = await runScene({ client: "messages", ...asked, body: { ...claude, stream }, response });
    const blocks = stream ? blocksOf(first.data) : (first.json["content"] as Json[]);
    expect(blocks.map((block) => block["type"])).toEqual(["thinking", "redacted_thinking", "tool_use"]);
    expect(blocks[0]?.["thinking"]).toBe(readable.text);
    expect(first.losses).toEqual([]);

    const second = await sent("messages", "chat-completions", secondTurn(blocks), { model });
    const [, turn] = second.sent["messages"] as Json[];
    expect(turn).toMatchObject({ role: "assistant", tool_calls: [call] });
    expect(turn?.["reasoning_details"]).toEqual(details);
    expect(second.losses).toEqual([]);
  });

  it("40 43 is returned through a responses client and a generative-language client", async () => {
    const message = { content: null, reasoning_details: [wrapped], tool_calls: [call] };
    const upstreamResponse = chatResponse(message, "tool_calls");
    const input = [{ role: "user", content: "Go" }];
    const first = await runScene({
      client: "responses",
      ...asked,
      body: { model: "m", input },
      response: upstreamResponse,
    });
    const output = { type: "function_call_output", call_id: "tool_f_1", output: "x" };
    const items = [...input, ...(first.json["output"] as Json[]), output];
    const second = await sent("responses", "chat-completions", { model: "m", input: items }, { model });
    expect(second.sent["messages"]).toMatchObject([{}, { reasoning_details: [wrapped] }, {}]);
    const contents = [{ role: "user", parts: [{ text: "Go" }] }];
    const google = await runScene({
      client: "generative-language",
      ...asked,
      body: { model: "m", contents },
      response: upstreamResponse,
    });
    const [candidate] = google.json["candidates"] as { content: Json }[];
    const response = { functionResponse: { id: "tool_f_1", name: "f", response: { output: "x" } } };
    const turns = [...contents, candidate?.content, { role: "user", parts: [response] }];
    const third = await sent(
      "generative-language",
      "chat-completions",
      { model: "m", contents: turns },
      { model },
    );
    expect(third.sent["messages"]).toMatchObject([{}, { reasoning_details: [wrapped] }, {}]);
  });

  it("40 is sent to no other vendor, and to no vendor that does not support the member", async () => {
    const response = chatResponse({ content: "Hi", reasoning_details: [signed] });
    const first = await runScene({ client: "messages", ...asked, body: claude, response });
    const messages = [
      ...claude.messages,
      { role: "assistant", content: first.json["content"] },
      { role: "user", content: "And?" },
    ];
    const ask = { model: "m", max_tokens: 9, messages };
    for (const [upstream, other] of [
      ["chat-completions", "gpt-5"],
      ["generative-language", "gemini-3-pro"],
    ] as const) {
      const received = await sent("messages", upstream, ask, { model: other });
      expect(received.sentText).not.toMatch(/reasoning_details|c2ln|I look/);
      expect(received.losses).toEqual(["reasoning-signature"]);
    }
  });
});
