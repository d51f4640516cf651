import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Limits } from "../../../src/config/proxy/limits.ts";
import { periodAt, startsAround } from "../../../src/proxy/gateway/budget-periods.ts";
import type { LimitStore, Reservation } from "../../../src/proxy/gateway/limits.ts";
import { createMemoryLimits } from "../../../src/proxy/gateway/limits-memory.ts";

let serial = 0;
function reservation(limits: Limits, values: Partial<Reservation> = {}): Reservation {
  serial += 1;
  const subjects = [{ id: "key:a", label: 'the key "a"', limits }];
  return {
    id: `r${serial}`,
    subjects,
    calls: 1,
    tokens: 0,
    micros: 0,
    inputMicros: 0,
    totalMs: 0,
    ...values,
  };
}
function clocked(start = Date.UTC(2026, 10, 23, 12)) {
  const clock = { now: start };
  return { clock, store: createMemoryLimits(() => clock.now) };
}
const admitted = async (store: LimitStore, one: Reservation) =>
  (await store.reserve(one)).excess === undefined;

describe("rate limits", () => {
  it("admit a burst of exactly N, then one more each N-th of a minute", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 500 }), async (rpm) => {
        const { clock, store } = clocked();
        for (let index = 0; index < rpm; index += 1)
          expect(await admitted(store, reservation({ rpm }))).toBe(true);
        const { excess } = await store.reserve(reservation({ rpm }));
        expect(excess?.limit).toBe("rpm");
        clock.now += (excess?.retryMs ?? 0) - 1;
        if (excess && excess.retryMs > 1) expect(await admitted(store, reservation({ rpm }))).toBe(false);
        clock.now += 1;
        expect(await admitted(store, reservation({ rpm }))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("continue to drain after the clock was set back", async () => {
    const { clock, store } = clocked();
    const call = () => reservation({ rpm: 2, tpm: 2 }, { tokens: 1 });
    for (const expected of [true, true, false]) expect(await admitted(store, call())).toBe(expected);
    clock.now -= 3_600_000;
    for (const expected of [true, true, false]) expect(await admitted(store, call())).toBe(expected);
    clock.now += 30_000;
    expect(await admitted(store, call())).toBe(true);
  });

  it("never admit more than N and the drained units, whatever the pauses", async () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), pauses, async (rpm, steps) => {
        const { clock, store } = clocked();
        const start = clock.now;
        let count = 0;
        for (const step of steps) {
          clock.now += step;
          if (await admitted(store, reservation({ rpm }))) count += 1;
          expect(count).toBeLessThanOrEqual(rpm + ((clock.now - start) * rpm) / 60_000);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("correct the tokens of a call when it ends", async () => {
    const { store } = clocked();
    const first = reservation({ tpm: 1_000 }, { tokens: 600 });
    expect(await admitted(store, first)).toBe(true);
    expect(await admitted(store, reservation({ tpm: 1_000 }, { tokens: 600 }))).toBe(false);
    store.settle(first, { tokens: 20, micros: 0 });
    const { states } = await store.reserve(reservation({ tpm: 1_000 }, { tokens: 600 }));
    expect(states[0]?.tpm?.remaining).toBe(380);
  });

  it("report a call that is larger than the limit", async () => {
    const { store } = clocked();
    const { excess } = await store.reserve(reservation({ tpm: 100 }, { tokens: 101 }));
    expect(excess).toMatchObject({ limit: "tpm", neverFits: true });
  });
});

describe("budgets", () => {
  it("are never exceeded by spent and reserved amounts, in any order of calls and ends", async () => {
    const step = fc.record({
      end: fc.boolean(),
      micros: fc.integer({ min: 0, max: 900_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const { store } = clocked();
        const limits: Limits = { budgets: [{ usd: 2, period: "day" }] };
        const open: Reservation[] = [];
        let spent = 0;
        for (const { end, micros, share } of steps) {
          const one = end ? open.shift() : undefined;
          if (one) {
            const cost = Math.floor(one.micros * share);
            store.settle(one, { tokens: 0, micros: cost });
            spent += cost;
          } else {
            const next = reservation(limits, { micros });
            const { excess, states } = await store.reserve(next);
            const reserved = open.reduce((sum, each) => sum + each.micros, 0);
            expect(excess === undefined).toBe(spent + reserved + micros <= 2_000_000);
            if (excess === undefined) open.push(next);
            const left = 2_000_000 - spent - open.reduce((sum, each) => sum + each.micros, 0);
            expect(states[0]?.budgets[0]?.remainingMicros).toBe(left);
          }
        }
      }),
    );
  });

  it("start again with each period and charge a call to the period in which it began", async () => {
    const { clock, store } = clocked(Date.UTC(2026, 10, 23, 23, 59, 59));
    const limits: Limits = { budgets: [{ usd: 1, period: "day" }] };
    const late = reservation(limits, { micros: 1_000_000 });
    expect(await admitted(store, late)).toBe(true);
    const { excess } = await store.reserve(reservation(limits, { micros: 1 }));
    expect(excess).toMatchObject({ limit: "budget", retryMs: 1_000 });
    clock.now += 1_000;
    store.settle(late, { tokens: 0, micros: 1_000_000 });
    expect(await admitted(store, reservation(limits, { micros: 1_000_000 }))).toBe(true);
  });

  it("include the amounts spent before the process began, once", async () => {
    const { clock, store } = clocked();
    const limits: Limits = { budgets: [{ usd: 1, period: "month" }] };
    const { start } = periodAt("month", clock.now);
    store.prime({ subject: "key:a", period: "month", start, micros: 900_000 });
    store.prime({ subject: "key:a", period: "month", start, micros: 0 });
    expect(await admitted(store, reservation(limits, { micros: 100_001 }))).toBe(false);
    expect(await admitted(store, reservation(limits, { micros: 100_000 }))).toBe(true);
  });
});

describe("several calls that are reserved together", () => {
  it("are each counted against rate and concurrency, all or none of them", async () => {
    const { store } = clocked();
    const limits: Limits = { rpm: 7, concurrency: 4 };
    const three = reservation(limits, { calls: 3 });
    expect(await admitted(store, three)).toBe(true);
    expect((await store.reserve(reservation(limits, { calls: 2 }))).excess).toMatchObject({
      limit: "concurrency",
      neverFits: false,
    });
    expect((await store.reserve(reservation(limits, { calls: 5 }))).excess?.neverFits).toBe(true);
    store.settle(three, { tokens: 0, micros: 0 });
    const four = reservation(limits, { calls: 4 });
    const { excess, states } = await store.reserve(four);
    expect(excess).toBeUndefined();
    expect(states[0]).toMatchObject({ rpm: { remaining: 0 }, concurrency: { remaining: 0 } });
    store.settle(four, { tokens: 0, micros: 0 });
    expect((await store.reserve(reservation(limits))).excess?.limit).toBe("rpm");
  });
});

describe("calendar periods", () => {
  it("contain their time and follow each other without gaps", () => {
    const times = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom("day", "week", "month"), times, (period, date) => {
        const { start, end = 0 } = periodAt(period, date.getTime());
        expect(start <= date.getTime() && date.getTime() < end).toBe(true);
        expect(periodAt(period, end).start).toBe(end);
        expect(startsAround(period, date.getTime()).slice(0, 3)).toEqual([
          periodAt(period, start - 1).start,
          start,
          end,
        ]);
      }),
    );
    expect(new Date(periodAt("week", Date.UTC(2026, 10, 22, 23)).start).toISOString()).toMatch(/^2026-11-16/);
  });
});

describe("admission", () => {
  it("checks concurrency, then requests, then tokens, then budgets, over all subjects", async () => {
    const { store } = clocked();
    const full: Limits = { concurrency: 1, rpm: 1, tpm: 10, budgets: [{ usd: 1, period: "total" }] };
    const first = reservation(full, { tokens: 10, micros: 1_000_000 });
    const next = () => reservation(full, { tokens: 10, micros: 1_000_000 });
    expect(await admitted(store, first)).toBe(true);
    expect((await store.reserve(next())).excess?.limit).toBe("concurrency");
    store.settle(first, { tokens: 10, micros: 1_000_000 });
    expect((await store.reserve(next())).excess?.limit).toBe("rpm");
    const without = (limits: Limits) => reservation(limits, { tokens: 10, micros: 1_000_000 });
    expect((await store.reserve(without({ ...full, rpm: undefined }))).excess?.limit).toBe("tpm");
    expect((await store.reserve(without({ ...full, rpm: undefined, tpm: undefined }))).excess?.limit).toBe(
      "budget",
    );
  });

  it("consumes nothing of one subject if another one rejects the call", async () => {
    const { store } = clocked();
    const key = { id: "key:b", label: "", limits: { rpm: 5, budgets: [{ usd: 9, period: "day" }] } } as const;
    const team = { id: "team:t", label: "", limits: { budgets: [{ usd: 1, period: "day" }] } } as const;
    const both = { ...reservation({}), subjects: [key, team], micros: 2_000_000 };
    const { excess, states } = await store.reserve(both);
    expect(excess).toMatchObject({ subject: 1, limit: "budget", neverFits: true });
    expect(states[0]?.rpm?.remaining).toBe(5);
    expect(states[0]?.budgets[0]?.remainingMicros).toBe(9_000_000);
  });
});
