import { describe, expect, it } from "vitest";
import { encodeThinking } from "../../../../src/proxy/dialects/messages/encode-thinking.ts";
import { codec } from "../../../../src/proxy/dialects/messages/index.ts";
import { profile } from "../../../../src/proxy/dialects/messages/profile.ts";
import { createLossList } from "../../../../src/proxy/exchange/loss.ts";
import type { ExchangeRequest } from "../../../../src/proxy/exchange/request.ts";
import { capabilitiesFor } from "../../../../src/proxy/models/capabilities-for.ts";
import { everything, request, text } from "../../../support/exchange.ts";

function encode(maxTokens: number) {
  const list = createLossList();
  const asked = request({ reasoning: { budget: 1_024 } });
  const { thinking } = encodeThinking(asked, maxTokens, { ...everything, reasoning: "budget" }, list);
  return { thinking, details: list.losses.map((loss) => loss.detail) };
}

describe("the reasoning budget of a messages request", () => {
  it("38: is dropped below the max_tokens that the loss names", () => {
    expect(encode(1_279)).toEqual({
      thinking: undefined,
      details: ["Reasoning dropped: it requires max_tokens of at least 1280."],
    });
    expect(encode(1_280)).toMatchObject({ thinking: { budget_tokens: 1_024 }, details: [] });
  });
});

describe("thinking with a tool choice that the model rejects", () => {
  it("is kept if the choice is sent as auto", () => {
    const tools = [{ type: "function", name: "f", schema: { type: "object" } }] as const;
    const asked = request({ tools, toolChoice: { mode: "required" }, reasoning: { effort: "high" } });
    const capabilities = { ...everything, reasoning: "adaptive", toolChoices: ["auto", "tool"] } as const;
    const { value, losses } = codec.encodeRequest(asked, capabilities);
    expect(value.body).toMatchObject({ tool_choice: { type: "auto" }, thinking: { type: "adaptive" } });
    expect(losses.map(({ code }) => code)).toEqual(["tool-choice"]);
  });
});

describe("earlier thinking in a messages request", () => {
  const signed = { type: "reasoning", text: "Hmm", vendor: "messages", signature: "sig" } as const;
  const turns = [
    { role: "user", parts: [text("Hi")] },
    { role: "assistant", parts: [signed, text("Hello")] },
    { role: "user", parts: [text("Go on")] },
  ] as const;
  const bound = { block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const beta = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };

  function send(model: string, more: Partial<ExchangeRequest> = {}, vendor = "anthropic") {
    const capabilities = capabilitiesFor("messages", model, {}, { vendor });
    const { value, losses } = codec.encodeRequest(request({ turns, ...more }), capabilities);
    const body = value.body as Readonly<Record<string, unknown>>;
    return { thinking: body["thinking"], headers: value.headers, losses: losses.length, body };
  }

  it.each([
    ["anthropic", "claude-opus-5-5"],
    ["anthropic", "claude-fable-5-1"],
    ["anthropic", "claude-sonnet-5-5"],
    ["bedrock", "us.anthropic.claude-opus-5-5-v1:0"],
    ["vertex", "claude-fable-5-2@20261110"],
    ["azure", "claude-haiku-5-5"],
  ])("is dropped at %s by %s, not rejected, if the conversation before it has changed", (vendor, model) => {
    expect(send(model, {}, vendor)).toMatchObject({
      thinking: { type: "adaptive", ...bound },
      headers: beta,
      losses: 0,
    });
  });

  it("keeps the display of thinking beside that setting", () => {
    const asked = send("claude-opus-5-5", { reasoning: { effort: "low", include: false } });
    expect(asked.thinking).toEqual({ type: "adaptive", display: "omitted", ...bound });
  });

  it("has no such setting for other models and vendors, and without earlier thinking", () => {
    const first = send("claude-opus-5-5", { turns: [{ role: "user", parts: [text("Hi")] }] });
    for (const { thinking, headers } of [
      send("claude-opus-5"),
      send("claude-opus-4-8"),
      send("claude-opus-4-8", {}, "bedrock"),
      send("claude-opus-5-5", {}, "openrouter"),
      first,
    ])
      expect([thinking, headers]).toEqual([undefined, undefined]);
  });

  it("is counted without the setting, whose beta header a count does not have", () => {
    const { body } = send("claude-opus-5-5", { reasoning: { effort: "low" } });
    const count = profile.upstream.createCountCall?.("claude-opus-5-5", body);
    expect(count?.body).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "low" } });
    expect(JSON.stringify(count?.body)).not.toContain("block_binding");
  });
});
