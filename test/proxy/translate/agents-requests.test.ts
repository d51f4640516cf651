import { describe, expect, it } from "vitest";
import { type Json, sent } from "./harness.ts";

const upstreams = ["chat-completions", "responses", "messages", "generative-language"] as const;
const user = (...content: Json[]) => ({ role: "user", content });
const fromClaude = (body: Json, upstream: (typeof upstreams)[number], model?: string) =>
  sent("messages", upstream, { model: "m", max_tokens: 9_000, ...body }, model ? { model } : {});
const fromChat = (body: Json, upstream: (typeof upstreams)[number]) =>
  sent("chat-completions", upstream, { model: "m", ...body });
const tool = { name: "f", input_schema: { type: "object", properties: { a: { type: "string" } } } };
const ask = [{ role: "user", content: "Hi" }];

describe("requests that agents send", () => {
  it.each(["chat-completions", "responses", "generative-language"] as const)(
    "Claude Code's billing line is dropped for a model behind %s, with a loss",
    async (upstream) => {
      const line = "x-anthropic-billing-header: cc_version=2.1.37; cc_entrypoint=cli; cch=1a2b3;";
      const system = [
        { type: "text", text: line },
        { type: "text", text: "You are Claude Code." },
      ];
      const received = await fromClaude({ system, messages: ask }, upstream);
      expect(received.losses).toEqual(["attribution"]);
      expect(received.sentText).not.toContain("billing");
      expect(received.sentText).toContain("You are Claude Code.");
      const quoted = await fromClaude({ system: `Never write\n${line}`, messages: ask }, upstream);
      expect([quoted.losses, quoted.sentText.includes("cch=1a2b3")]).toEqual([[], true]);
    },
  );

  it("web search options are forwarded if supported, and otherwise reported as losses", async () => {
    const search = {
      type: "web_search_20250305",
      name: "web_search",
      max_uses: 8,
      allowed_domains: ["a.example"],
      user_location: { type: "approximate", country: "DE" },
    };
    const responses = await fromClaude({ messages: ask, tools: [search] }, "responses");
    expect(responses.sent["tools"]).toEqual([
      {
        type: "web_search",
        filters: { allowed_domains: ["a.example"] },
        user_location: { type: "approximate", country: "DE" },
      },
    ]);
    expect(responses.outcome.losses).toEqual([
      { code: "web-search-options", detail: expect.stringContaining("maxUses") },
    ]);
    const google = await fromClaude({ messages: ask, tools: [search] }, "generative-language");
    expect([google.sent["tools"], google.losses]).toEqual([[{ googleSearch: {} }], ["web-search-options"]]);
    // Codex requests only cached results, so this setting must not be ignored.
    const cached = { type: "web_search", external_web_access: false, search_context_size: "medium" };
    const codex = await sent("responses", "messages", { model: "m", input: "Hi", tools: [cached] });
    expect(codex.outcome.losses).toEqual([
      { code: "web-search-options", detail: expect.stringContaining("external_web_access") },
    ]);
    const options = { search_context_size: "low", user_location: { approximate: { city: "Köln" } } };
    const chat = await fromChat({ messages: ask, web_search_options: options }, "messages");
    expect(chat.sent["tools"]).toEqual([
      {
        type: "web_search_20250305",
        name: "web_search",
        user_location: { type: "approximate", city: "Köln" },
      },
    ]);
    expect(chat.losses).toEqual(["web-search-options"]);
  });

  it.each(["responses", "messages", "generative-language"] as const)(
    "15 the name of an author is a loss for %s, also next to a tool result and other turns",
    async (upstream) => {
      const named = { role: "user", name: "bob", content: "Hi" };
      const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
      const histories = [
        [named],
        [named, { role: "user", content: "And?" }],
        [
          { role: "user", content: "Go" },
          { role: "assistant", tool_calls: [call] },
          { role: "tool", tool_call_id: "c", content: "1" },
          named,
        ],
      ];
      for (const messages of histories)
        expect((await fromChat({ messages }, upstream)).losses, JSON.stringify(messages)).toEqual(["name"]);
    },
  );

  it.each(["chat-completions", "generative-language", "responses"] as const)(
    "18 calls that a client splits over adjacent turns are one turn with their results for %s",
    async (upstream) => {
      const use = (id: string) => ({
        role: "assistant",
        content: [{ type: "tool_use", id, name: "f", input: {} }],
      });
      const results = ["a", "b"].map((id) => ({ type: "tool_result", tool_use_id: id, content: id }));
      const messages = [...ask, use("a"), use("b"), user(...results)];
      const received = await fromClaude({ messages, tools: [tool] }, upstream);
      expect(received.losses).toEqual([]);
      const roles = Object(
        received.sent["messages"] ?? received.sent["contents"] ?? received.sent["input"],
      ).map((one: Json) => one["role"] ?? one["type"]);
      expect(roles).toEqual(
        {
          "chat-completions": ["user", "assistant", "tool", "tool"],
          "generative-language": ["user", "model", "user"],
          responses: [
            undefined,
            "function_call",
            "function_call",
            "function_call_output",
            "function_call_output",
          ],
        }[upstream].map((role) => role ?? "user"),
      );
    },
  );

  it("16 items without an equivalent leave no empty messages for a chat-completions upstream", async () => {
    const input = [
      { role: "user", content: "Hi" },
      {
        type: "local_shell_call",
        call_id: "c",
        status: "completed",
        action: { type: "exec", command: ["ls"] },
      },
      { type: "local_shell_call_output", call_id: "c", output: "x" },
      { role: "user", content: "Go on" },
    ];
    const received = await sent("responses", "chat-completions", { model: "m", input });
    expect(received.losses).toEqual(["assistant-unknown", "unknown"]);
    expect(received.sent["messages"]).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "Go on" },
    ]);
  });

  it("9 a file id is never sent to another vendor, in any pair of dialects", async () => {
    const file = { file_id: "file-1" };
    const chat = { messages: [user({ type: "text", text: "See" }, { type: "file", file })] };
    for (const upstream of ["messages", "responses", "generative-language"] as const) {
      const received = await fromChat(chat, upstream);
      expect([upstream, received.losses, received.sentText.includes("file-1")]).toEqual([
        upstream,
        ["file-reference"],
        false,
      ]);
    }
    const blocks = ["document", "image"].map((type) => ({ type, source: { type: "file", ...file } }));
    for (const upstream of ["chat-completions", "responses", "generative-language"] as const) {
      const received = await fromClaude(
        { messages: [user({ type: "text", text: "See" }, ...blocks)] },
        upstream,
      );
      expect([received.losses, received.sentText.includes("file-1")]).toEqual([["file-reference"], false]);
    }
    const files = ["input_file", "input_image"].map((type) => ({ type, ...file }));
    const parts = [{ type: "input_text", text: "See" }, ...files];
    for (const upstream of ["chat-completions", "messages", "generative-language"] as const) {
      const received = await sent("responses", upstream, { model: "m", input: [user(...parts)] });
      expect([received.losses, received.sentText.includes("file-1")]).toEqual([["file-reference"], false]);
    }
  });

  it("12 a document's context and citations are reported as lost by every dialect without them, and its title is kept", async () => {
    const source = { type: "text", media_type: "text/plain", data: "Words" };
    const document = {
      type: "document",
      source,
      title: "Notes",
      context: "old",
      citations: { enabled: true },
    };
    for (const upstream of ["chat-completions", "responses", "generative-language"] as const) {
      const received = await fromClaude({ messages: [user(document)] }, upstream);
      expect(received.losses.toSorted()).toEqual(["document-citations", "document-context"]);
      expect(received.sentText).toContain("Notes\\n\\nWords");
    }
  });

  it("48 a response schema that a vendor rejects as strict is not sent as strict, with a loss", async () => {
    const open = { type: "OBJECT", properties: { a: { type: "STRING" } } };
    const closed = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    const generationConfig = { responseMimeType: "application/json", responseSchema: open };
    const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }], generationConfig };
    const google = await sent("generative-language", "responses", { model: "m", ...body });
    expect(google.sent["text"]).toMatchObject({ format: { type: "json_schema", strict: false } });
    expect(google.losses).toEqual(["json-schema"]);
    const output_config = { format: { type: "json_schema", schema: closed } };
    const claude = await fromClaude({ messages: ask, output_config }, "chat-completions");
    expect(claude.sent["response_format"]).toMatchObject({ json_schema: { strict: true, schema: closed } });
    expect(claude.losses).toEqual([]);
  });

  it.each([
    ["claude-sonnet-4-5", undefined, 40_960, 24_576, []],
    ["claude-opus-4-1", undefined, 32_000, 24_576, []],
    ["claude-sonnet-4-5", 10_000, 10_000, 8_000, ["reasoning-effort"]],
  ] as const)(
    "38 thinking leaves room for text: %s, max_tokens %s",
    async (model, asked, max_tokens, budget_tokens, losses) => {
      const more = asked === undefined ? {} : { max_completion_tokens: asked };
      const body = { model: "m", messages: ask, reasoning_effort: "high", ...more };
      const received = await sent("chat-completions", "messages", body, { model });
      expect(received.sent).toMatchObject({ max_tokens, thinking: { type: "enabled", budget_tokens } });
      expect(received.losses).toEqual(losses);
    },
  );

  it("a request for a default is not a loss, but a request to store the response is", async () => {
    const plain = {
      store: false,
      service_tier: "auto",
      verbosity: "medium",
      metadata: {},
      modalities: ["text"],
    };
    for (const upstream of upstreams.slice(1)) {
      expect((await fromChat({ messages: ask, ...plain }, upstream)).losses).toEqual([]);
    }
    for (const upstream of ["messages", "generative-language"] as const)
      expect((await fromChat({ messages: ask, store: true }, upstream)).losses).toEqual(["store"]);
  });
});
