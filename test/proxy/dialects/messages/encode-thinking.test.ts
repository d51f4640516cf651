import { describe, expect, it } from "vitest";
import { encodeThinking } from "../../../../src/proxy/dialects/messages/encode-thinking.ts";
import { createLossList } from "../../../../src/proxy/exchange/loss.ts";
import { everything, request } from "../../../support/exchange.ts";

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
