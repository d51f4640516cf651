import { describe, expect, it } from "vitest";
import { BodyShare, createBodyRoom } from "../../../src/proxy/body/body-room.ts";

describe("the memory budget of request bodies", () => {
  it("counts the received bytes of each body and releases them", () => {
    const room = createBodyRoom();
    const [one, other] = [new BodyShare(room), new BodyShare(room)];
    expect([one.take(60, 100), other.take(50, 100), other.take(40, 100)]).toEqual([true, false, true]);
    one.settle(10);
    expect(room.bytes).toBe(50);
    one.release();
    one.release();
    other.release();
    expect(room.bytes).toBe(0);
  });

  it("drops stalled bodies, the longest stalled first, only if other bodies need the memory", () => {
    const room = createBodyRoom();
    let now = 0;
    const evicted: number[] = [];
    const [first, second, third, whole] = [0, 1, 2, 3].map((index) => {
      const share = new BodyShare(room, () => now);
      share.onEvicted = () => evicted.push(index);
      return share;
    }) as [BodyShare, BodyShare, BodyShare, BodyShare];
    for (const share of [first, second, third]) {
      expect(share.take(30, 100)).toBe(true);
      share.begin();
      now += 5_000;
    }
    const next = new BodyShare(room, () => now);
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
