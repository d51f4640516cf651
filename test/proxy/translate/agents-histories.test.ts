import { describe, expect, it } from "vitest";
import { type Json, sent } from "./harness.ts";

const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" };
const hi = { role: "user", content: "Hi" };
const use = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] };

describe("histories that agents send", () => {
  it("11 a result contains no reference to a dropped part", async () => {
    const content = [
      { type: "future_block" },
      { type: "text", text: "See" },
      { type: "document", source: pdf },
    ];
    const messages = [
      hi,
      use,
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] },
    ];
    const received = await sent("messages", "chat-completions", { model: "m", max_tokens: 9, messages });
    expect(received.losses).toEqual(["unknown"]);
    expect(Object(received.sent["messages"]).slice(2)).toEqual([
      { role: "tool", tool_call_id: "t", content: "See\n[document 1 of this result follows]" },
      { role: "user", content: [{ type: "text", text: "From the result of call t:" }, expect.anything()] },
    ]);
  });

  it("4 turns around an empty turn are merged into one turn for generative-language", async () => {
    const thought = { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "s" }] };
    const received = await sent("messages", "generative-language", {
      model: "m",
      max_tokens: 9,
      messages: [hi, thought, hi],
    });
    expect(received.sent["contents"]).toEqual([{ role: "user", parts: [{ text: "Hi" }, { text: "Hi" }] }]);
  });

  it.each(["chat-completions", "messages", "responses"] as const)(
    "21 a result with the id of a call belongs to no other call, for %s",
    async (upstream) => {
      const contents = [
        { role: "user", parts: [{ text: "Go" }] },
        {
          role: "model",
          parts: [{ functionCall: { id: "g1", name: "f", args: { a: 1 } } }, { functionCall: { name: "f" } }],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "f", response: { output: "of the nameless" } } },
            { functionResponse: { id: "g1", name: "f", response: { output: "of g1" } } },
            { text: "" },
          ],
        },
      ];
      const received = await sent("generative-language", upstream, { model: "m", contents });
      expect(received.losses).toEqual([]);
      expect(received.sentText).toMatch(/g1".*g1"[^}]*of g1.*of the nameless/);
      // An empty text is omitted.
      expect(received.sentText).not.toContain('"text":""');
    },
  );

  it("1, 4 a single part is accepted instead of a list, in both spellings", async () => {
    const body = { system_instruction: { parts: { text: "Be brief" } }, contents: { parts: { text: "Hi" } } };
    const received = await sent("generative-language", "chat-completions", { model: "m", ...body });
    expect(received.sent["messages"]).toEqual([{ role: "system", content: "Be brief" }, hi]);
  });

  it("29, 30 a tool choice finds a namespaced function by its short name", async () => {
    const space = { type: "namespace", name: "ns", tools: [{ type: "function", name: "f", parameters: {} }] };
    const chosen = async (tool_choice: Json, tools: Json[]) =>
      (await sent("responses", "messages", { model: "m", input: "Hi", tools, tool_choice })).sent[
        "tool_choice"
      ];
    const f = { type: "function", name: "f" };
    expect(await chosen(f, [space])).toEqual({ type: "tool", name: "ns__f" });
    expect(await chosen(f, [space, { ...f, parameters: {} }])).toEqual({ type: "tool", name: "f" });
    const allowed = { type: "allowed_tools", mode: "required", tools: [f] };
    const received = await sent("responses", "generative-language", {
      model: "m",
      input: "Hi",
      tools: [space],
      tool_choice: allowed,
    });
    expect(received.sent["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["ns__f"] },
    });
  });

  it("29 a tool that only its vendor's search would find is declared from the start, with a loss", async () => {
    const tool = { type: "function", name: "f", parameters: { type: "object" }, defer_loading: true };
    const responses = { model: "m", input: "Hi", tools: [{ type: "tool_search" }, tool] };
    const messages = {
      model: "m",
      max_tokens: 9,
      messages: [hi],
      tools: [
        { name: "f", input_schema: { type: "object" }, defer_loading: true },
        { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
      ],
    };
    for (const received of [
      await sent("responses", "messages", responses),
      await sent("messages", "responses", messages),
    ]) {
      expect(received.losses.toSorted()).toEqual(["defer-loading", "hosted-tool-other"]);
      expect(received.sentText).not.toContain("defer_loading");
      expect(received.sent["tools"]).toMatchObject([{ name: "f" }]);
    }
  });

  it("46 a number of log probabilities requests log probabilities", async () => {
    const body = { model: "m", input: "Hi", top_logprobs: 3 };
    const chat = await sent("responses", "chat-completions", body);
    expect(chat.sent).toMatchObject({ logprobs: true, top_logprobs: 3 });
    const google = await sent("responses", "generative-language", body);
    expect(google.sent["generationConfig"]).toMatchObject({ responseLogprobs: true, logprobs: 3 });
    const none = await sent("chat-completions", "generative-language", {
      model: "m",
      messages: [hi],
      top_logprobs: 0,
    });
    expect(Object(none.sent["generationConfig"])["responseLogprobs"]).toBeUndefined();
  });

  it("49 safety_identifier identifies the user", async () => {
    const body = { model: "m", input: "Hi", safety_identifier: "s" };
    const received = await sent("responses", "messages", body);
    expect([received.sent["metadata"], received.losses]).toEqual([{ user_id: "s" }, []]);
  });
});
