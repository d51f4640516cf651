import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLines, followLines, getContext } from "../../../src/review/live/follow-lines.ts";
import { findQuote, followRange, quoteContext } from "../../../src/review/live/follow-quote.ts";

const at = (lineStart: number, lineEnd = lineStart) => ({ lineStart, lineEnd });

describe("lines that a thread is about", () => {
  it.each([
    ["moved down", ["a", "b", "c"], ["x", "a", "b", "c"], at(2), at(3)],
    ["moved up", ["a", "b", "c", "d"], ["c", "d"], at(3, 4), at(1, 2)],
    ["unchanged before a change", ["a", "b", "c"], ["a", "b", "x"], at(1, 2), at(1, 2)],
    ["grown by an insertion between them", ["a", "b"], ["a", "x", "b"], at(1, 2), at(1, 3)],
    ["rewritten", ["a", "b", "c"], ["a", "x", "c"], at(2), undefined],
    ["removed", ["a", "b", "c"], ["a", "c"], at(2), undefined],
    [
      "removed, with an equal line elsewhere",
      ["f", "r", "}", "g", "r", "}"],
      ["f", "}", "g", "r", "}"],
      at(2),
      undefined,
    ],
  ])("are followed when %s", (_what, before, after, range, expected) => {
    expect(followLines(before, after, range)).toEqual(expected);
  });

  it("are the same text wherever they are followed to", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, fc.nat(29), (before, after, index) => {
        if (index >= before.length) return;
        const found = followLines(before, after, at(index + 1));
        if (found === undefined || found === "unknown") return;
        expect(after[found.lineStart - 1]).toBe(before[index]);
      }),
    );
  });

  it("are found by their neighbors where several are equal", () => {
    const before = ["f1", "return", "f2", "return", "f3", "return"];
    const context = getContext(before, at(4));
    expect(findLines(["new", ...before], ["return"], context, 4)).toEqual(at(5));
    expect(findLines(["other", "return", "others"], ["return"], context, 4)).toBeUndefined();
  });
});

describe("a quote that a thread is about", () => {
  const plan = "# Plan\n\nFirst we measure.\n\nThen we build a bridge of oak.\n";
  const quote = "a bridge of oak";
  const start = plan.indexOf(quote);
  const range = { start, end: start + quote.length };

  it("is followed past an insertion and found after a change around it", () => {
    const inserted = plan.replace("First", "At once, first");
    expect(followRange(plan, inserted, range)).toEqual({ start: start + 9, end: range.end + 9 });
    const changed = "# Another\n\nWe build a bridge of oak now.\n";
    const found = findQuote(changed, quote, quoteContext(plan, range), start);
    expect(found && changed.slice(found.start, found.end)).toBe(quote);
  });

  it("is gone if its text is, or if a short one has other surroundings", () => {
    expect(findQuote("# Plan\n\nWe swim.\n", quote, quoteContext(plan, range), start)).toBeUndefined();
    const short = { start: plan.indexOf("we"), end: plan.indexOf("we") + 2 };
    expect(findQuote("answer", "we", quoteContext(plan, short), 0)).toBeUndefined();
  });
});
