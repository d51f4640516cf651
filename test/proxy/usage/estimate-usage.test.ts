import { describe, expect, it } from "vitest";
import { countText } from "../../../src/proxy/usage/count-text.ts";
import { estimatedUsage } from "../../../src/proxy/usage/estimate-usage.ts";

const SENTENCE = 'The "quick" brown fox jumps over the lazy dog.\n';

/** Estimates the output tokens of a response of which only the first `length` characters are known. */
function estimate(response: string, length: number): number | undefined {
  return estimatedUsage(undefined, { text: response.slice(0, length), total: response.length }).output.total;
}

describe("the estimated output of a response without counts", () => {
  const text = SENTENCE.repeat(2_000);
  const response = JSON.stringify({ content: [{ type: "text", text }] });

  it("is the number of tokens of its text", () => {
    expect(estimate(JSON.stringify({ content: SENTENCE }), 1_000)).toBe(Math.round(countText(SENTENCE)));
  });

  it.each([16_384, 16_385, 16_386, 50_000])(
    "follows from its first %i characters, which end within its only text",
    (length) => {
      const tokens = countText(text);
      expect(Math.abs((estimate(response, length) ?? 0) - tokens) / tokens).toBeLessThan(0.15);
    },
  );

  it("is 0 for a response without text", () => {
    expect(estimate('{"content":[]}', 100)).toBe(0);
  });
});
