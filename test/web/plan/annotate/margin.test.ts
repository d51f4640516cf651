import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stackCards } from "../../../../web/plan/annotate/margin.ts";

const options = { from: 50, gap: 8, active: -1 };

describe("the cards beside a plan", () => {
  it("stand beside their text if there is room", () => {
    expect(
      stackCards(
        [
          { wanted: 60, height: 20 },
          { wanted: 300, height: 20 },
        ],
        options,
      ),
    ).toEqual([60, 300]);
  });

  it("move down where the card before is in the way", () => {
    expect(
      stackCards(
        [
          { wanted: 10, height: 40 },
          { wanted: 60, height: 20 },
        ],
        options,
      ),
    ).toEqual([50, 98]);
  });

  it("make way for the active card", () => {
    const cards = [
      { wanted: 200, height: 100 },
      { wanted: 210, height: 30 },
      { wanted: 220, height: 30 },
    ];
    expect(stackCards(cards, { ...options, active: 1 })).toEqual([102, 210, 248]);
  });

  it("never overlap, and keep their order", () => {
    const box = fc.record({
      wanted: fc.integer({ min: 0, max: 2_000 }),
      height: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(box, { maxLength: 20 }), fc.integer({ min: -1, max: 19 }), (boxes, active) => {
        const cards = boxes.toSorted((one, other) => one.wanted - other.wanted);
        const tops = stackCards(cards, { ...options, active });
        tops.forEach((top, index) => {
          const before =
            index === 0 ? options.from : (tops[index - 1] ?? 0) + (cards[index - 1]?.height ?? 0) + 8;
          expect(top).toBeGreaterThanOrEqual(before);
        });
      }),
    );
  });
});
