import { describe, expect, it } from "vitest";
import { chatResponse, type Json, messagesResponse, runScene, sent } from "./harness.ts";

const hi = { role: "user", content: "Hi" };
const tool = {
  type: "function",
  function: {
    name: "f",
    description: "d",
    parameters: { type: "object", properties: { a: { type: "string" } } },
  },
};
const call = (id: string, args = "{}", name = "f") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const toolMessage = (id: string, content: unknown = "x") => ({ role: "tool", tool_call_id: id, content });

const chatToMessages = (messages: readonly Json[], more: Json = {}) =>
  sent("chat-completions", "messages", { model: "m", messages, tools: [tool], ...more });
const messagesToChat = (messages: readonly Json[], more: Json = {}) =>
  sent("messages", "chat-completions", {
    model: "m",
    max_tokens: 9,
    messages,
    tools: [{ name: "f", input_schema: { type: "object" } }],
    ...more,
  });
const turns = (received: { sent: Json }) => received.sent["messages"] as { role: string; content: Json[] }[];

describe("5b requests: tools", () => {
  it("18 puts results directly after their calls, in one user turn, before its text", async () => {
    const received = await chatToMessages([
      hi,
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
      toolMessage("a", "1"),
      toolMessage("b", "2"),
      { role: "user", content: "And?" },
    ]);
    expect(turns(received)[2]).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "1" },
        { type: "tool_result", tool_use_id: "b", content: "2" },
        { type: "text", text: "And?" },
      ],
    });
    expect(received.losses).toEqual([]);
  });

  it("18 moves text that precedes a result behind the result", async () => {
    const received = await messagesToChat([
      hi,
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
      {
        role: "user",
        content: [
          { type: "text", text: "Here" },
          { type: "tool_result", tool_use_id: "a", content: "1" },
        ],
      },
    ]);
    expect((received.sent["messages"] as Json[]).slice(2)).toEqual([
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "user", content: "Here" },
    ]);
  });

  it("19 adds an error result for a missing result and drops an orphaned one, both with a loss", async () => {
    const received = await chatToMessages([
      hi,
      { role: "assistant", content: null, tool_calls: [call("a")] },
      toolMessage("zzz"),
      { role: "user", content: "So?" },
    ]);
    expect(turns(received)[2]?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "a",
        content: "No result was recorded for this call.",
        is_error: true,
      },
      { type: "text", text: "So?" },
    ]);
    expect(received.losses).toEqual(["tool-result-missing", "tool-result-orphan"]);
  });

  const lone = {
    "chat-completions": { messages: [{ role: "system", content: "Be brief." }, toolMessage("zzz")] },
    responses: {
      instructions: "Be brief.",
      input: [{ type: "function_call_output", call_id: "zzz", output: "1" }],
    },
    messages: {
      system: "Be brief.",
      max_tokens: 9,
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "zzz", content: "1" }] }],
    },
    "generative-language": {
      contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }] }],
    },
  } as const;
  const pairs = Object.keys(lone).flatMap((client) =>
    (Object.keys(lone) as (keyof typeof lone)[]).map((upstream) => [client as keyof typeof lone, upstream]),
  ) as [keyof typeof lone, keyof typeof lone][];

  it.each(pairs)(
    "19 rejects a single orphaned result instead of sending nothing (%s to %s)",
    async (client, upstream) => {
      const received = await runScene({ client, upstream, body: { model: "m", ...lone[client] } });
      expect([received.status, received.path]).toEqual([400, ""]);
      expect(received.text).toContain("tool-result-orphan");
    },
  );

  it("20 keeps the first of duplicate results, orders results, and makes reused ids unique", async () => {
    const received = await chatToMessages([
      hi,
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
      toolMessage("b", "2"),
      toolMessage("a", "1"),
      toolMessage("a", "again"),
      { role: "assistant", content: null, tool_calls: [call("a")] },
      toolMessage("a", "3"),
    ]);
    const results = turns(received).flatMap((turn) =>
      turn.content.filter((block) => block["type"] === "tool_result"),
    );
    expect(results.map((block) => [block["tool_use_id"], block["content"]])).toEqual([
      ["a", "1"],
      ["b", "2"],
      ["a_2", "3"],
    ]);
    expect(received.losses).toEqual(["tool-result-duplicate"]);
  });

  it("21 wraps an id that the target rejects, and restores the vendor's own id", async () => {
    const own = "functions.f:0|é";
    const first = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: { model: "m", max_tokens: 9, messages: [hi] },
      response: chatResponse({ content: null, tool_calls: [call(own)] }, "tool_calls"),
    });
    const [block] = first.json["content"] as Json[];
    expect(block?.["id"]).toMatch(/^[a-zA-Z0-9_-]+$/);
    const second = await messagesToChat([
      hi,
      { role: "assistant", content: [block as Json] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: block?.["id"], content: "1" }] },
    ]);
    const messages = second.sent["messages"] as Json[];
    expect(messages[1]?.["tool_calls"]).toMatchObject([{ id: own }]);
    expect(messages[2]?.["tool_call_id"]).toBe(own);
  });

  it("22 names the tool of a result for generative-language", async () => {
    const received = await sent("messages", "generative-language", {
      model: "m",
      max_tokens: 9,
      messages: [
        hi,
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "lookup", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
      ],
    });
    expect(received.sentText).toMatch(/"functionResponse":\{[^}]*"name":"lookup"/);
  });

  it("22 sends an object returned by a tool to every dialect", async () => {
    const contents = [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { rate: 5 } } }] },
    ];
    for (const upstream of ["chat-completions", "responses", "messages"] as const) {
      const received = await sent("generative-language", upstream, { contents });
      expect([upstream, received.sentText.includes('{\\"rate\\":5}')]).toEqual([upstream, true]);
    }
  });

  it("23 marks is_error in the text for chat-completions and keeps the flag for messages", async () => {
    const failed = { type: "tool_result", tool_use_id: "a", content: "no route", is_error: true };
    const received = await messagesToChat([
      hi,
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
      { role: "user", content: [failed] },
    ]);
    expect((received.sent["messages"] as Json[])[2]?.["content"]).toBe("Error: no route");
  });

  it.each([
    ["a string", "x", "x"],
    [
      "an array",
      [
        { type: "text", text: "x" },
        { type: "text", text: "y" },
      ],
      "x\ny",
    ],
    ["empty", "", ""],
    ["absent", undefined, ""],
  ])("24 converts tool_result content: %s", async (_, content, expected) => {
    const received = await messagesToChat([
      hi,
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] },
    ]);
    expect((received.sent["messages"] as Json[])[2]?.["content"]).toBe(expected);
  });

  it.each([
    ["nothing", "", "{}"],
    ["an object", '{"a":1}', '{"a":1}'],
    ["a big integer", '{"id":9007199254740993}', '{"id":9007199254740993}'],
    ["duplicate keys", '{"a":1,"a":2}', '{"a":1,"a":2}'],
    ["no object", "[1]", '{"input":"[1]"}'],
    ["no JSON", '{"a":', '{"input":"{\\"a\\":"}'],
  ])("25 converts arguments: %s", async (_, text, expected) => {
    const received = await chatToMessages([
      hi,
      { role: "assistant", content: null, tool_calls: [call("a", text)] },
      toolMessage("a"),
    ]);
    expect(received.sentText).toContain(`"input":${expected}`);
    expect(received.losses).toEqual(expected.includes("input") ? ["tool-arguments"] : []);
  });

  it("25 keeps a large integer in an object exact", async () => {
    const body = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"id":9007199254740993,"n":-12345678901234567890}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}]}`;
    const received = await runScene({ client: "messages", upstream: "chat-completions", body });
    expect(received.sentText).toContain('{\\"id\\":9007199254740993,\\"n\\":-12345678901234567890}');
  });

  it("26 renames tools that the upstream rejects, without collisions, and restores the names in the response", async () => {
    const names = ["my.tool", "my:tool", `long_${"x".repeat(80)}`];
    const tools = names.map((name) => ({ name, input_schema: { type: "object" } }));
    const body = {
      model: "m",
      max_tokens: 9,
      messages: [hi],
      tools,
      tool_choice: { type: "tool", name: "my.tool" },
    };
    const first = await sent("messages", "chat-completions", body);
    const received = (first.sent["tools"] as { function: { name: string } }[]).map(
      (one) => one.function.name,
    );
    expect(new Set(received).size).toBe(3);
    for (const name of received) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(first.sent["tool_choice"]).toEqual({ type: "function", function: { name: received[0] } });
    const second = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body,
      response: chatResponse({ content: null, tool_calls: [call("c", "{}", received[2])] }, "tool_calls"),
    });
    expect((second.json["content"] as Json[])[0]?.["name"]).toBe(names[2]);
  });

  it("27 converts web search between vendors", async () => {
    const received = await sent("responses", "messages", {
      model: "m",
      input: "Hi",
      tools: [{ type: "web_search", filters: { allowed_domains: ["example.com"] } }],
    });
    expect(received.sent["tools"]).toEqual([
      { type: "web_search_20250305", name: "web_search", allowed_domains: ["example.com"] },
    ]);
  });

  it("27 rejects a hosted tool without an equivalent if it is the only one, else reports a loss", async () => {
    const hosted = { type: "code_execution_20250825", name: "code_execution" };
    const alone = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: { model: "m", max_tokens: 9, messages: [hi], tools: [hosted] },
    });
    expect(alone.status).toBe(400);
    expect(alone.json).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    const beside = await messagesToChat([hi], {
      tools: [hosted, { name: "f", input_schema: { type: "object" } }],
    });
    expect(beside.losses).toEqual(["hosted-tool-code-execution"]);
    expect(beside.sent["tools"]).toHaveLength(1);
  });

  it("28 converts custom tools to functions with one string, and their calls back to free text", async () => {
    const body = {
      model: "m",
      input: "Hi",
      tools: [{ type: "custom", name: "apply_patch", description: "Patch." }],
    };
    const patch = "*** Begin\n+é\n";
    const received = await runScene({
      client: "responses",
      upstream: "messages",
      body,
      response: messagesResponse(
        [{ type: "tool_use", id: "t", name: "apply_patch", input: { input: patch } }],
        "tool_use",
      ),
    });
    expect(received.sent["tools"]).toMatchObject([
      { name: "apply_patch", description: "Patch.", input_schema: { required: ["input"] } },
    ]);
    expect(
      (received.json["output"] as Json[]).find((item) => item["type"] === "custom_tool_call"),
    ).toMatchObject({ name: "apply_patch", input: patch });
  });

  it.each([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [
      { type: "function", function: { name: "f" } },
      { type: "tool", name: "f" },
    ],
  ])("30 converts the tool_choice %j", async (choice, expected) => {
    expect((await chatToMessages([hi], { tool_choice: choice })).sent["tool_choice"]).toEqual(expected);
  });

  it("28 drops a custom tool that the configuration allows but the dialect does not have", async () => {
    const tools = [{ type: "custom", name: "patch" }];
    const more = { capabilities: { "*": { customTools: true } } };
    const received = await sent("responses", "messages", { model: "m", input: "Hi", tools }, more);
    expect(received.losses).toEqual(["custom-tool"]);
  });

  it("42 reports the signature of a call as lost for another vendor", async () => {
    const signed = { ...call("a", "{}"), extra_content: { google: { thought_signature: "c2ln" } } };
    const received = await chatToMessages([
      hi,
      { role: "assistant", content: null, tool_calls: [signed] },
      toolMessage("a"),
    ]);
    expect(received.sentText).not.toContain("c2ln");
    expect(received.losses).toEqual(["call-signature"]);
  });

  it("30 keeps only the tools that allowed_tools names", async () => {
    const other = { type: "function", function: { name: "g", parameters: { type: "object" } } };
    const choice = {
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "g" } }] },
    };
    const received = await chatToMessages([hi], { tools: [tool, other], tool_choice: choice });
    expect((received.sent["tools"] as Json[]).map((one) => one["name"])).toEqual(["g"]);
    expect(received.sent["tool_choice"]).toEqual({ type: "any" });
  });

  it("30 drops thinking together with a forced tool choice, with a loss", async () => {
    const received = await runScene({
      client: "chat-completions",
      upstream: "messages",
      model: "claude-sonnet-4-5",
      body: { model: "m", messages: [hi], tools: [tool], tool_choice: "required", reasoning_effort: "high" },
    });
    expect(received.sent["thinking"]).toBeUndefined();
    expect(received.losses).toContain("reasoning-effort");
  });

  it("31 converts disable_parallel_tool_use and parallel_tool_calls", async () => {
    expect((await chatToMessages([hi], { parallel_tool_calls: false })).sent["tool_choice"]).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    });
    expect(
      (await messagesToChat([hi], { tool_choice: { type: "auto", disable_parallel_tool_use: true } })).sent[
        "parallel_tool_calls"
      ],
    ).toBe(false);
  });

  it("32 keeps strict", async () => {
    const strict = {
      type: "function",
      function: {
        name: "f",
        strict: true,
        parameters: { type: "object", properties: {}, additionalProperties: false },
      },
    };
    expect((await chatToMessages([hi], { tools: [strict] })).sent["tools"]).toMatchObject([
      { strict: true, input_schema: { additionalProperties: false } },
    ]);
  });

  it("34 clears strict of a tool whose schema chat-completions would reject, with a loss", async () => {
    const part = { type: "object", properties: { b: { type: "string" } }, additionalProperties: false };
    const received = async (properties: Json, more: Json = {}) => {
      const input_schema = { type: "object", properties, additionalProperties: false, ...more };
      const response = await messagesToChat([hi], { tools: [{ name: "f", strict: true, input_schema }] });
      const [tool] = response.sent["tools"] as { function: Json }[];
      return [tool?.function["strict"], response.losses.includes("strict")];
    };
    const a = { a: { type: "string" } };
    expect(await received(a, { required: ["a"] })).toEqual([true, false]);
    expect(await received({})).toEqual([true, false]);
    expect(await received(a)).toEqual([false, true]);
    expect(await received(a, { required: ["a"], additionalProperties: true })).toEqual([false, true]);
    expect(await received({ a: part }, { required: ["a"] })).toEqual([false, true]);
    expect(await received({ a: { type: "array", items: part } }, { required: ["a"] })).toEqual([false, true]);
    expect(await received({ a: { enum: [part] } }, { required: ["a"] })).toEqual([true, false]);
  });

  it("35 accepts a schema without type, no parameters, empty tools, and a tool choice without tools", async () => {
    const bare = { type: "function", function: { name: "f" } };
    const typeless = { type: "function", function: { name: "g", parameters: { properties: { a: {} } } } };
    expect((await chatToMessages([hi], { tools: [bare, typeless] })).sent["tools"]).toMatchObject([
      { name: "f", input_schema: { type: "object", properties: {} } },
      { name: "g", input_schema: { type: "object", properties: { a: {} } } },
    ]);
    const none = await chatToMessages([hi], { tools: [], tool_choice: "auto", parallel_tool_calls: false });
    expect(none.sent).not.toHaveProperty("tools");
    expect(none.sent).not.toHaveProperty("tool_choice");
  });

  it("36 reports a loss for other dialects if a tool has members that exist only in messages", async () => {
    const received = await messagesToChat([hi], {
      tools: [
        {
          name: "f",
          input_schema: { type: "object" },
          cache_control: { type: "ephemeral" },
          defer_loading: true,
        },
      ],
    });
    expect(received.sentText).not.toContain("cache_control");
    expect(received.losses).toEqual(["cache-control", "defer-loading"]);
  });
});
