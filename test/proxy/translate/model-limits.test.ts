import { describe, expect, it } from "vitest";
import { type Json, sent } from "./harness.ts";

const hi = { role: "user", content: "Hi" };
const fromClaude = (
  body: Json,
  upstream: "generative-language" | "chat-completions" | "responses",
  model: string,
) => sent("messages", upstream, { model: "m", max_tokens: 40_000, messages: [hi], ...body }, { model });
const config = (received: { sent: Json }) => received.sent["generationConfig"] as Json;

describe("requests that a model would reject", () => {
  it.each([
    ["gemini-2.5-flash", 31_999, 24_576],
    ["gemini-2.5-flash", 2_000, 2_000],
    ["gemini-2.5-flash-lite", 65_536, 24_576],
    ["gemini-2.5-pro", 65_536, 32_768],
    ["gemini-2.5-pro", 31_999, 31_999],
    ["another-model", 65_536, 65_536],
  ])("37 %s with a thinking budget of %i receives %i", async (model, budget_tokens, thinkingBudget) => {
    const received = await fromClaude(
      { thinking: { type: "enabled", budget_tokens } },
      "generative-language",
      model,
    );
    expect(config(received)["thinkingConfig"]).toEqual({ thinkingBudget, includeThoughts: true });
    expect(received.losses).toEqual(thinkingBudget === budget_tokens ? [] : ["reasoning-effort"]);
  });

  it("37 an effort below a model's minimum budget is raised, as is none for a model that always thinks", async () => {
    const ask = (model: string, reasoning_effort: string) =>
      sent(
        "chat-completions",
        "generative-language",
        { model: "m", messages: [hi], reasoning_effort },
        { model },
      );
    const received = await Promise.all([
      ask("gemini-2.5-flash-lite", "minimal"),
      ask("gemini-2.5-flash-lite", "none"),
      ask("gemini-2.5-pro", "none"),
    ]);
    expect(received.map((one) => [config(one)["thinkingConfig"], one.losses])).toEqual([
      [{ thinkingBudget: 512, includeThoughts: true }, []],
      [{ thinkingBudget: 0, includeThoughts: false }, []],
      [{ thinkingBudget: 128, includeThoughts: false }, ["reasoning-effort"]],
    ]);
  });

  it("37 a model that generates images receives no thinking options", async () => {
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const received = await fromClaude({ thinking }, "generative-language", "gemini-2.5-flash-image");
    expect(config(received)).not.toHaveProperty("thinkingConfig");
    expect(received.losses).toEqual(["reasoning-effort"]);
  });

  it("5 46 newer Gemini models receive no sampling members and no prefill", async () => {
    const messages = [hi, { role: "assistant", content: "Well" }];
    const body = {
      model: "m",
      messages,
      temperature: 0.2,
      top_p: 0.9,
      top_k: 5,
      frequency_penalty: 1,
      presence_penalty: 0,
    };
    const ask = (model: string) => sent("chat-completions", "generative-language", body, { model });
    const received = await ask("gemini-3.6-flash");
    expect(received.sent["generationConfig"]).toBeUndefined();
    expect((received.sent["contents"] as Json[]).at(-1)).toEqual({
      role: "user",
      parts: [{ text: "Continue." }],
    });
    expect(received.losses.toSorted()).toEqual([
      "assistant-prefill",
      "frequency-penalty",
      "temperature",
      "top-k",
      "top-p",
    ]);
    const older = await ask("gemini-3-flash");
    expect((older.sent["contents"] as Json[]).at(-1)).toMatchObject({ role: "model" });
    expect(older.losses).toEqual([]);
  });

  it.each(["chat-completions", "responses"] as const)(
    "49 a user id longer than %s vendors accept is always replaced with the same digest",
    async (upstream) => {
      const user = (name: string) =>
        fromClaude({ metadata: { user_id: name } }, upstream, "gpt-5").then((received) => [
          received.sent["user"],
          received.losses,
        ]);
      const long = `user_${"a".repeat(64)}_account__session_${"b".repeat(36)}`;
      const [digest, losses] = await user(long);
      expect([digest, losses]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), []]);
      expect(await user(long)).toEqual([digest, []]);
      expect((await user(`${long}c`))[0]).not.toBe(digest);
      expect(await user("u".repeat(64))).toEqual(["u".repeat(64), []]);
    },
  );

  const weather = { type: "function", function: { name: "weather", parameters: { type: "object" } } };
  const time = { type: "function", function: { name: "time", parameters: { type: "object" } } };
  const toClaude = (body: Json, model: string) =>
    sent("chat-completions", "messages", { model: "m", messages: [hi], ...body }, { model });

  it.each([
    ["claude-opus-5", { type: "disabled" }, []],
    ["claude-opus-5-5", { type: "adaptive" }, ["reasoning-effort"]],
    ["claude-sonnet-5-5", { type: "adaptive" }, ["reasoning-effort"]],
    ["claude-fable-5", { type: "adaptive" }, ["reasoning-effort"]],
    ["claude-mythos-5-1", { type: "adaptive" }, ["reasoning-effort"]],
  ])("37 thinking is switched off only at models that allow it: %s", async (model, thinking, losses) => {
    const received = await toClaude({ reasoning_effort: "none" }, model);
    expect(received.sent["thinking"]).toEqual(thinking);
    expect([...new Set(received.losses)]).toEqual(losses);
  });

  it("37 Claude models that omit their thinking by default show it to clients that do not ask them to omit it", async () => {
    const model = "claude-opus-4-8";
    const thinking = async (received: Promise<{ sent: Json }>) => (await received).sent["thinking"];
    const shown = { type: "adaptive", display: "summarized" };
    const hidden = { type: "adaptive", display: "omitted" };
    expect(await thinking(toClaude({ reasoning_effort: "high" }, model))).toEqual(shown);
    expect(await thinking(toClaude({ reasoning: { effort: "high", exclude: true } }, model))).toEqual(hidden);
    const asked = { model: "m", input: "Hi", reasoning: { effort: "high", summary: "auto" } };
    expect(await thinking(sent("responses", "messages", asked, { model }))).toEqual(shown);
    const generationConfig = { thinkingConfig: { includeThoughts: true } };
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    const google = { contents, generationConfig };
    expect(await thinking(sent("generative-language", "messages", google, { model }))).toEqual(shown);
    const older = "claude-opus-4-6";
    expect(await thinking(toClaude({ reasoning_effort: "high" }, older))).toEqual({ type: "adaptive" });
  });

  it.each(["claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "us.anthropic.claude-mythos-5-2"])(
    "32 %s receives no forced tool choice, and keeps its thinking",
    async (model) => {
      const body = { tools: [weather, time], reasoning_effort: "high" };
      const one = { type: "function", function: { name: "time" } };
      const required = await toClaude(
        { ...body, tool_choice: "required", parallel_tool_calls: false },
        model,
      );
      expect(required.sent["tool_choice"]).toEqual({ type: "auto", disable_parallel_tool_use: true });
      expect(required.sent["thinking"]).toMatchObject({ type: "adaptive" });
      expect(required.losses).toEqual(["tool-choice"]);
      const named = await toClaude({ ...body, tool_choice: one }, model);
      expect(named.sent).toMatchObject({ tools: [{ name: "time" }], tool_choice: { type: "auto" } });
      expect(named.sent["tools"]).toHaveLength(1);
      expect(named.losses).toEqual(["tool-choice"]);
    },
  );

  it("32 an older Claude model receives a forced tool choice, without thinking", async () => {
    const body = { tools: [weather], reasoning_effort: "high", tool_choice: "required" };
    const received = await toClaude(body, "claude-opus-5");
    expect(received.sent["tool_choice"]).toEqual({ type: "any" });
    expect(received.sent).not.toHaveProperty("thinking");
    expect(received.losses).toEqual(["reasoning-effort"]);
  });
});
