import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeOffsets, indexAt } from "../../../../../web/code/core/rows/offsets.ts";
import {
  physicalHeight,
  positionAfterScroll,
  positionFor,
  TALLEST_SCROLLER,
} from "../../../../../web/code/core/rows/scroll-space.ts";

describe("offsets", () => {
  it("finds the item at every position", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 60 }), (heights) => {
        const offsets = computeOffsets(heights.length, (index) => heights[index] ?? 0);
        heights.forEach((height, index) => {
          expect(indexAt(offsets, offsets[index] ?? 0)).toBe(index);
          expect(indexAt(offsets, (offsets[index] ?? 0) + height - 1)).toBe(index);
        });
        expect(indexAt(offsets, 1e9)).toBe(heights.length - 1);
      }),
    );
  });

  it("returns 0 for an empty list", () =>
    expect(
      indexAt(
        computeOffsets(0, () => 1),
        10,
      ),
    ).toBe(0));
});

describe("scroll space", () => {
  const tall = { total: 40_000_000, viewport: 900 };

  it("is linear while the diff fits", () => {
    const space = { total: 10_000, viewport: 900 };
    expect(positionAfterScroll(space, { physical: 0, virtual: 0 }, 500)).toEqual({
      physical: 500,
      virtual: 500,
    });
    expect(physicalHeight(space)).toBe(10_000);
  });

  it("never makes the scroller higher than the cap", () => {
    expect(physicalHeight(tall)).toBe(TALLEST_SCROLLER);
  });

  it("reaches both ends in large steps", () => {
    const end = positionAfterScroll(tall, { physical: 0, virtual: 0 }, TALLEST_SCROLLER - 900);
    expect(end.virtual).toBeCloseTo(tall.total - 900, 3);
    expect(positionAfterScroll(tall, end, 0).virtual).toBe(0);
  });

  it("moves by the same distance in small steps, from the start to the end and never backwards", () => {
    let position = positionFor(tall, 20_000_000);
    for (let step = 0; step < 200; step++) {
      const before = position.virtual;
      position = positionAfterScroll(tall, position, position.physical + 120);
      expect(position.virtual - before).toBeCloseTo(120, 3);
    }
  });

  it("reaches the end in small steps", () => {
    let position = positionFor(tall, tall.total - 60_000);
    for (let step = 0; step < 2_000; step++) {
      position = positionAfterScroll(
        tall,
        position,
        Math.min(TALLEST_SCROLLER - 900, position.physical + 120),
      );
    }
    expect(position.virtual).toBeCloseTo(tall.total - 900, 0);
  });

  it("reaches the start in small steps", () => {
    let position = positionFor(tall, 60_000);
    for (let step = 0; step < 2_000; step++)
      position = positionAfterScroll(tall, position, Math.max(0, position.physical - 120));
    expect(position.virtual).toBeCloseTo(0, 0);
  });
});
