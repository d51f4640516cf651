import { describe, expect, it } from "vitest";
import { visibleRange } from "../../../../web/shared/components/virtual-list.tsx";

describe("the visible range of a list", () => {
  const heights = [100, 50, 200, 100];

  it("covers the items between two positions and the space of the others", () => {
    expect(visibleRange(heights, 120, 160)).toEqual({ from: 1, to: 3, before: 100, after: 100 });
    expect(visibleRange(heights, -500, 1_000)).toEqual({ from: 0, to: 4, before: 0, after: 0 });
  });

  it("adds up to the height of the whole list wherever it is", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => 20 + (index % 7) * 13);
    const total = many.reduce((sum, height) => sum + height, 0);
    for (let top = -900; top < total + 900; top += 777) {
      const { from, to, before, after } = visibleRange(many, top, top + 800);
      const shown = many.slice(from, to).reduce((sum, height) => sum + height, 0);
      expect(before + shown + after).toBe(total);
      expect(to - from).toBeLessThan(50);
    }
  });

  it("is empty for an empty list", () => {
    expect(visibleRange([], 0, 100)).toEqual({ from: 0, to: 0, before: 0, after: 0 });
  });
});
