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
});
