import { describe, expect, it } from "vitest";
import { BodyShare, createBodyMemory } from "../../../src/proxy/body/body-memory.ts";

describe("the memory budget of request bodies", () => {
  it("counts the received bytes of each body and releases them", () => {
    const memory = createBodyMemory();
    const [one, other] = [new BodyShare(memory), new BodyShare(memory)];
    expect([one.take(60, 100), other.take(50, 100), other.take(40, 100)]).toEqual([true, false, true]);
    one.settle(10);
    expect(memory.bytes).toBe(50);
    one.release();
    one.release();
    other.release();
    expect(memory.bytes).toBe(0);
  });

  it("drops stalled bodies, the longest stalled first, only if other bodies need the memory", () => {
    const memory = createBodyMemory();
    let now = 0;
    const evicted: number[] = [];
    const [first, second, third, whole] = [0, 1, 2, 3].map((index) => {
      const share = new BodyShare(memory, () => now);
      share.onEvicted = () => evicted.push(index);
      return share;
    }) as [BodyShare, BodyShare, BodyShare, BodyShare];
    for (const share of [first, second, third]) {
      expect(share.take(30, 100)).toBe(true);
      share.begin();
      now += 5_000;
    }
    const next = new BodyShare(memory, () => now);
    whole.take(10, 100);
    whole.settle(10);
    now = 14_999;
    expect([next.take(10, 200), evicted]).toEqual([true, []]);
    expect([next.take(1, 100), evicted]).toEqual([true, [0]]);
    expect(next.take(60, 100)).toBe(false);
    now = 20_000;
    expect([next.take(70, 100), evicted]).toEqual([true, [0, 1, 2]]);
  });
});
