import { describe, expect, it } from "vitest";
import { type Json, runScene } from "./harness.ts";

const user = (text: string) => ({ role: "user", content: text });
const spoken = { role: "assistant", content: "Yes" };
const called = (...more: Json[]) => [
  user("Hi"),
  { role: "assistant", content: [{ type: "tool_use", id: "abcdefghi", name: "f", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "abcdefghi", content: "1" }, ...more] },
];
const system = (text: string) => ({ role: "system", content: text });
const marked = (text: string) => `<system>\n${text}\n</system>`;

async function ask(model: string, messages: Json[], more: Json = {}) {
  const { sent, losses } = await runScene({
    client: "messages",
    upstream: "chat-completions",
    model,
    body: { model: "m", max_tokens: 9, system: "Be brief.", messages },
    ...more,
  });
  const all = sent["messages"] as { role: string; content: unknown }[];
  return { losses, sent: all.map(({ role, content }) => [role, content]) };
}

const texts = (...list: string[]) => list.map((text) => ({ type: "text", text }));

describe("2 a system message within the conversation", () => {
  it.each([
    ["Qwen/Qwen3.8-27B", {}],
    ["gemma-4-31b", {}],
    ["my-alias", { capabilities: { "my-*": { acceptsSystemTurns: false } } }],
  ])("is part of a user message for %s, whose template accepts it only at the start", async (model, more) => {
    const after = await ask(model, [user("Hi"), system("A"), system("B"), spoken, user("Go")], more);
    expect(after.sent).toEqual([
      ["system", "Be brief."],
      ["user", texts("Hi", marked("A"), marked("B"))],
      ["assistant", "Yes"],
      ["user", "Go"],
    ]);
    expect(after.losses).toEqual(["system-position"]);
    const before = await ask(model, [user("Hi"), spoken, system("A"), user("Go")], more);
    expect(before.sent.slice(2)).toEqual([
      ["assistant", "Yes"],
      ["user", texts(marked("A"), "Go")],
    ]);
    const last = await ask(model, [...called(), system("A")], more);
    expect(last.sent.slice(3)).toEqual([
      ["tool", "1"],
      ["user", marked("A")],
    ]);
    const none = await ask(model, [user("Hi"), spoken, user("Go")], more);
    expect(none.losses).toEqual([]);
  });

  it("keeps its role for models that accept it", async () => {
    const received = await ask("gpt-4.1", [user("Hi"), system("A"), spoken, user("Go")]);
    expect(received.sent.map(([role]) => role)).toEqual(["system", "user", "system", "assistant", "user"]);
    expect(received.losses).toEqual([]);
  });
});

describe("18 a user message after tool results", () => {
  it.each(["mistral-large-latest", "mistralai/devstral-2512"])(
    "follows an inserted assistant message for %s, which rejects it otherwise",
    async (model) => {
      const text = { type: "text", text: "Go" };
      const within = await ask(model, called(text));
      expect(within.sent.map(([role]) => role)).toEqual([
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
      ]);
      expect(within.losses).toEqual(["assistant-turn"]);
      const next = await ask(model, [...called(), system("A"), user("Go")]);
      expect(next.sent.slice(3).map(([role]) => role)).toEqual(["tool", "assistant", "user"]);
      const plain = await ask(model, [...called(), spoken, user("Go")]);
      expect(plain.losses).toEqual([]);
    },
  );

  it("follows them directly for other models", async () => {
    const received = await ask("qwen3-32b", called({ type: "text", text: "Go" }));
    expect(received.sent.slice(3)).toEqual([
      ["tool", "1"],
      ["user", "Go"],
    ]);
    expect(received.losses).toEqual([]);
  });
});
