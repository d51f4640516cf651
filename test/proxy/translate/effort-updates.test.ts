import { describe, expect, it } from "vitest";
import { type Json, runScene } from "./harness.ts";

const user = (text: string) => ({ role: "user", content: text });
const answer = { role: "assistant", content: "Yes" };

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
    const received = await fromMessages([user("Hi"), set("medium"), answer, user("Go"), set("low", "")]);
    expect(received.sent).toMatchObject({ reasoning_effort: "low" });
    expect(received.sent["messages"]).toEqual([user("Hi"), answer, user("Go")]);
    expect(received.losses).toEqual([]);
    const spoken = await fromMessages([user("Hi"), set("low", "Be brief.")]);
    expect(spoken.sent).toMatchObject({
      reasoning_effort: "low",
      messages: [user("Hi"), { role: "system", content: "Be brief." }],
    });
  });

  it("by the last configuration_update of a responses client is the request's effort", async () => {
    const received = await fromResponses([update("medium"), user("Hi"), answer, update("low"), user("Go")]);
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
    const addition = { type: "tool_addition", tools: [{ name: "g" }] };
    const received = await runScene({
      client: "messages",
      upstream: "chat-completions",
      body: {
        model: "m",
        max_tokens: 9,
        messages: [user("Hi"), { role: "system", content: [addition] }, answer, user("Go")],
      },
    });
    expect(received.sent["messages"]).toEqual([user("Hi"), answer, user("Go")]);
    expect(received.losses).toEqual(["system-unknown"]);
  });
});
