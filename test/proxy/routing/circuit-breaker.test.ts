import { describe, expect, it } from "vitest";
import { CircuitBreaker } from "../../../src/proxy/routing/circuit-breaker.ts";

function breakerAt(start = 1_000_000) {
  const clock = { now: start };
  return { clock, breaker: new CircuitBreaker(() => clock.now) };
}

describe("the circuit breaker", () => {
  it("opens after five failures in 30 s, not after four or over a longer time", () => {
    const { clock, breaker } = breakerAt();
    for (let count = 0; count < 4; count += 1) breaker.fail("a", 500);
    expect(breaker.isOpen("a")).toBe(false);
    breaker.fail("a", 500);
    expect(breaker.isOpen("a")).toBe(true);
    expect(breaker.isOpen("b")).toBe(false);
    for (let count = 0; count < 9; count += 1) {
      breaker.fail("b", undefined);
      clock.now += 8_000;
    }
    expect(breaker.isOpen("b")).toBe(false);
  });

  it("admits one probe after 30 s, and doubles the time after each failed probe, up to 5 min", () => {
    const { clock, breaker } = breakerAt();
    for (let count = 0; count < 5; count += 1) breaker.fail("a", 500);
    for (const pause of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      clock.now += pause - 1;
      expect(breaker.isOpen("a")).toBe(true);
      clock.now += 1;
      expect(breaker.isOpen("a")).toBe(false);
      breaker.begin("a");
      expect(breaker.isOpen("a")).toBe(true);
      breaker.fail("a", 500);
      expect(breaker.isOpen("a")).toBe(true);
    }
  });

  it("closes after a success, and admits another probe if one ended without a result", () => {
    const { clock, breaker } = breakerAt();
    for (let count = 0; count < 5; count += 1) breaker.fail("a", 500);
    clock.now += 30_000;
    breaker.begin("a");
    breaker.release("a");
    expect(breaker.isOpen("a")).toBe(false);
    breaker.begin("a");
    breaker.succeed("a");
    expect([breaker.isOpen("a"), breaker.list()]).toEqual([false, []]);
  });

  it("is not extended by failures of calls that had begun before", () => {
    const { clock, breaker } = breakerAt();
    for (let count = 0; count < 50; count += 1) breaker.fail("a", 500);
    expect(breaker.list()).toEqual([{ upstream: "a", until: 1_030_000, status: 500 }]);
    clock.now += 30_000;
    expect(breaker.isOpen("a")).toBe(false);
  });
});
