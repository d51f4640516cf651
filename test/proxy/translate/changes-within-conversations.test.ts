import { describe, expect, it } from "vitest";
import { type Json, runScene } from "./harness.ts";

const user = (text: string) => ({ role: "user", content: text });
const spoken = { role: "assistant", content: "Yes" };

describe("37 a change of the effort within a conversation", () => {
  const fromMessages = (messages: Json[], more: Json = {}) =>
    runScene({
      client: "messages",
      upstream: "chat-completions",
      model: "gpt-5",
      body: { model: "m", max_tokens: 9, output_config: { effort: "high" }, messages, ...more },
    });
  const fromResponses = (input: Json[], more: Json = {}) =>
    runScene({
      client: "responses",
      upstream: "messages",
      model: "claude-opus-4-8",
      body: { model: "m", reasoning: { effort: "high" }, input, ...more },
    });
  const set = (effort: string, content: unknown = []) => ({
    role: "system",
    content,
    output_config: { effort },
  });
  const update = (effort: string | null) => ({ type: "configuration_update", reasoning: { effort } });

  it("by a system message of a messages client is the request's effort, and no empty message is sent", async () => {
    const received = await fromMessages([user("Hi"), set("medium"), spoken, user("Go"), set("low", "")]);
    expect(received.sent).toMatchObject({ reasoning_effort: "low" });
    expect(received.sent["messages"]).toEqual([user("Hi"), spoken, user("Go")]);
    expect(received.losses).toEqual([]);
    const instructed = await fromMessages([user("Hi"), set("low", "Be brief.")]);
    expect(instructed.sent).toMatchObject({
      reasoning_effort: "low",
      messages: [user("Hi"), { role: "system", content: "Be brief." }],
    });
  });

  it("by the last configuration_update of a responses client is the request's effort", async () => {
    const received = await fromResponses([update("medium"), user("Hi"), spoken, update("low"), user("Go")]);
    expect(received.sent).toMatchObject({
      output_config: { effort: "low" },
      messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }],
    });
    expect(received.losses).toEqual([]);
    const last = await fromResponses([user("Hi"), update("low")]);
    expect([last.sent["output_config"], last.losses]).toEqual([{ effort: "low" }, []]);
    const reset = await fromResponses([user("Hi"), update(null)]);
    expect(reset.sent["output_config"]).toEqual({ effort: "high" });
  });

  it("to an unknown effort is rejected", async () => {
    expect((await fromMessages([user("Hi"), set("huge")])).status).toBe(400);
    expect((await fromResponses([user("Hi"), update("huge")])).text).toContain("input[1].reasoning.effort");
  });
});

describe("6 a system message whose parts are all lost", () => {
  it("is not sent as an empty message to chat-completions upstreams", async () => {
    const tool = { type: "mcp_toolset_reference", server_name: "s" };
    const addition = { type: "tool_addition", tool };
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: {
        model: "m",
        max_tokens: 9,
        messages: [user("Hi"), { role: "system", content: [addition] }, spoken, user("Go")],
      },
    });
    expect(received.sent["messages"]).toEqual([user("Hi"), spoken, user("Go")]);
    expect(received.losses).toEqual(["system-unknown"]);
  });
});

describe("27 tools that a system message adds or removes", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const define = (name: string, description: string) => ({
    type: "tool_addition",
    tool: { type: "tool_definition", definition: { name, description, input_schema: schema } },
  });
  const refer = (type: "tool_addition" | "tool_removal", name: string) => ({
    type,
    tool: { type: "tool_reference", name },
  });
  const system = (...content: Json[]) => ({ role: "system", content });
  const ask = (messages: Json[], tools?: Json[]) =>
    runScene({
      client: "messages",
      upstream: "chat-completions",
      body: { model: "m", max_tokens: 9, messages, ...(tools && { tools }) },
    });
  const first = { name: "f", description: "First", input_schema: schema };
  const toolsOf = ({ sent }: { readonly sent: Json }) =>
    ((sent["tools"] ?? []) as { function: Json }[]).map(({ function: tool }) => [
      tool["name"],
      tool["description"],
    ]);

  it("are in the request's tools as they are at the end of the conversation", async () => {
    const added = await ask([user("Hi"), system(define("g", "Second")), spoken, user("Go")], [first]);
    expect(toolsOf(added)).toEqual([
      ["f", "First"],
      ["g", "Second"],
    ]);
    expect(added.sent["messages"]).toEqual([user("Hi"), spoken, user("Go")]);
    expect(added.losses).toEqual([]);
    const replaced = await ask(
      [user("Hi"), system(define("g", "Second")), spoken, user("Go"), system(define("f", "Better"))],
      [first],
    );
    expect(toolsOf(replaced)).toEqual([
      ["f", "Better"],
      ["g", "Second"],
    ]);
    expect(toolsOf(await ask([user("Hi"), system(define("g", "Only"))]))).toEqual([["g", "Only"]]);
  });

  it("can be removed, and added again by their name", async () => {
    const removal = [user("Hi"), system(refer("tool_removal", "f")), spoken, user("Go")];
    const removed = await ask(removal, [first]);
    expect([toolsOf(removed), removed.losses]).toEqual([[], []]);
    const again = await ask([...removal, system(refer("tool_addition", "f"))], [first]);
    expect([toolsOf(again), again.losses]).toEqual([[["f", "First"]], []]);
  });

  it("are rejected with their path if their definition is invalid", async () => {
    const invalid = { type: "tool_addition", tool: { type: "tool_definition", definition: { name: 1 } } };
    const received = await ask([user("Hi"), system(invalid)]);
    expect([received.status, received.text]).toEqual([
      400,
      expect.stringContaining("messages[1].content[0].tool.definition.name"),
    ]);
  });
});

describe("27 tools that an item of a responses client adds", () => {
  const tool = (name: string, description: string) => ({
    type: "function",
    name,
    description,
    parameters: { type: "object" },
  });
  const ask = (items: Json[]) =>
    runScene({
      client: "responses",
      upstream: "messages",
      body: { model: "m", tools: [tool("f", "First")], input: [user("Hi"), ...items, user("Go")] },
    });
  const described = (received: { readonly sent: Json }) =>
    (received.sent["tools"] as Json[]).map(({ name, description }) => [name, description]);

  it("are in the request's tools, and the item is no loss", async () => {
    const additional = { type: "additional_tools", role: "developer" };
    const namespace = { type: "namespace", name: "mcp", tools: [tool("g", "Second")] };
    const received = await ask([{ ...additional, tools: [tool("f", "Better"), namespace] }]);
    expect(described(received)).toEqual([
      ["f", "Better"],
      ["mcp__g", "Second"],
    ]);
    expect(received.losses).toEqual([]);
  });

  it("are found by a tool search of an earlier turn", async () => {
    const found = { type: "tool_search_output", call_id: "c", tools: [tool("g", "Second")] };
    expect(described(await ask([found]))).toEqual([
      ["f", "First"],
      ["g", "Second"],
    ]);
  });
});

describe("2 a system message that is cleared at the next user message", () => {
  const reminder = { role: "system", content: "It is noon.", clear_at: "next_user_message" };
  const ask = (messages: Json[]) =>
    runScene({
      client: "messages",
      upstream: "chat-completions",
      body: { model: "m", max_tokens: 9, messages },
    });

  it("is sent only in the turn that it follows", async () => {
    const now = await ask([user("Hi"), reminder]);
    expect(now.sent["messages"]).toEqual([user("Hi"), { role: "system", content: "It is noon." }]);
    const later = await ask([user("Hi"), reminder, spoken, user("Go"), { ...reminder, clear_at: "never" }]);
    expect(later.sent["messages"]).toEqual([
      user("Hi"),
      spoken,
      user("Go"),
      { role: "system", content: "It is noon." },
    ]);
    expect(later.losses).toEqual([]);
  });
});

describe("8 a block that only the messages dialect has", () => {
  const ask = (messages: Json[], upstream: "chat-completions" | "messages" = "chat-completions") =>
    runScene({ client: "messages", upstream, body: { model: "m", max_tokens: 9, messages } });
  const reference = { type: "tool_reference", tool_name: "mcp__a__b" };
  const searched = [
    user("Hi"),
    { role: "assistant", content: [{ type: "tool_use", id: "t", name: "ToolSearch", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [reference] }] },
  ];
  const summary = { type: "compaction", content: "They said hi.", signature: "s" };
  const compacted = [{ role: "assistant", content: [summary] }, user("Go")];

  it("is text for other dialects if it names a found tool or has a summary", async () => {
    const found = await ask(searched);
    expect((found.sent["messages"] as Json[]).at(-1)).toMatchObject({
      role: "tool",
      content: "The tool mcp__a__b is available.",
    });
    expect(found.losses).toEqual([]);
    const shortened = await ask(compacted);
    expect(shortened.sent["messages"]).toMatchObject([
      { role: "assistant", content: expect.stringMatching(/replaced by this summary:\n\nThey said hi\.$/) },
      user("Go"),
    ]);
    expect(shortened.losses).toEqual([]);
    const failed = await ask([{ role: "assistant", content: [{ ...summary, content: null }] }, user("Go")]);
    expect(failed.losses).toEqual(["assistant-unknown"]);
  });

  it("stays unchanged for an upstream of this dialect", async () => {
    const found = await ask(searched, "messages");
    expect((found.sent["messages"] as { content: Json[] }[])[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "t", content: [reference] },
    ]);
    const shortened = await ask([user("Hi"), ...compacted], "messages");
    expect((shortened.sent["messages"] as { content: Json[] }[])[1]?.content).toEqual([summary]);
  });
});
