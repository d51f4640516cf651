import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeActivity } from "../../../src/proxy/dashboard/activity.ts";
import { findLastOutcomes, modelTotals, sumCalls } from "../../../src/proxy/dashboard/call-totals.ts";
import {
  addTo,
  createHistogram,
  percentile,
  sumHistograms,
} from "../../../src/proxy/observability/histogram.ts";
import { createMetrics } from "../../../src/proxy/observability/metrics.ts";
import {
  createRecentCalls,
  MAX_ENDED_CALLS,
  type RunningCall,
} from "../../../src/proxy/observability/recent-calls.ts";
import { callRecord } from "../../support/call-record.ts";
import { finished } from "../../support/dashboard-state.ts";

const running = (id: string): RunningCall => ({
  id,
  startedAt: 0,
  key: undefined,
  route: { path: "/v1/messages" },
  model: "m",
  upstream: undefined,
  stream: false,
  index: -1,
});

const timeOf = (number: number) => new Date(1_800_000_000_000 + number).toISOString();

describe("recent calls", () => {
  it("are the latest ones, newest first, up to the maximum", () => {
    const recent = createRecentCalls();
    for (let number = 0; number < MAX_ENDED_CALLS + 50; number += 1) {
      const call = running(`r${number}`);
      recent.begin(call);
      expect(recent.running.length).toBe(1);
      recent.end(call, callRecord({ id: call.id, time: timeOf(number) }));
    }
    expect(recent.running.length).toBe(0);
    const ended = recent.ended("");
    expect([ended.length, ended[0]?.id, ended.at(-1)?.id]).toEqual([MAX_ENDED_CALLS, "r249", "r50"]);
    expect(recent.ended(timeOf(247)).map(({ id }) => id)).toEqual(["r249", "r248", "r247"]);
  });

  it("are running until they have ended, in any order", () => {
    const recent = createRecentCalls();
    const calls = ["a", "b", "c", "d"].map(running);
    for (const call of calls) recent.begin(call);
    const left = new Set(calls);
    for (const index of [1, 3, 0, 2]) {
      const call = calls[index];
      if (!call) throw new Error("no call");
      left.delete(call);
      recent.end(call, callRecord({ id: call.id }));
      recent.end(call, callRecord({ id: call.id }));
      expect(new Set(recent.running)).toEqual(left);
    }
  });

  it("of several processes are merged by time", () => {
    const of = (...numbers: number[]) => ({
      live: numbers.map((number) => ({ id: `l${number}`, startedAt: number, route: "/", stream: false })),
      calls: numbers.map((number) => finished({ id: `r${number}`, time: timeOf(number) })).toReversed(),
      cooldowns: numbers.map((number) => ({ upstream: "a", key: number % 2, until: number })),
    });
    const { live, calls, cooldowns } = mergeActivity([of(1, 4), of(2, 3)]);
    expect(cooldowns).toEqual([
      { upstream: "a", key: 1, until: 3 },
      { upstream: "a", key: 0, until: 4 },
    ]);
    expect(calls.map(({ id }) => id)).toEqual(["r4", "r3", "r2", "r1"]);
    expect(live.map(({ id }) => id)).toEqual(["l1", "l2", "l3", "l4"]);
  });
});

describe("call totals", () => {
  it("are sums over series, with unknown costs counted separately", () => {
    const metrics = createMetrics();
    const usage = { input: { total: 100, cacheRead: 60 }, output: { total: 10 } };
    metrics.end(callRecord({ usage, cost: 0.5 }));
    metrics.end(callRecord({ usage, upstreamModel: "n" }));
    metrics.end(callRecord({ status: 529, errorMessage: "busy", time: "2026-11-22T12:00:01.000Z" }));
    metrics.end(callRecord({ status: 499, time: "2026-11-22T12:00:02.000Z" }));
    const { series } = metrics.counts();
    expect(sumCalls(series)).toMatchObject({
      calls: 4,
      errors: 1,
      input: 200,
      cached: 120,
      output: 20,
      cost: 0.5,
      unpriced: 1,
    });
    expect(modelTotals(series).map(({ model, calls }) => [model, calls])).toEqual([
      ["m", 3],
      ["n", 1],
    ]);
    expect(modelTotals(series)[1]).not.toHaveProperty("cost");
    expect(findLastOutcomes(series)).toMatchObject({
      lastSuccess: "2026-11-22T12:00:00.000Z",
      lastError: { time: "2026-11-22T12:00:01.000Z", status: 529, fault: "busy" },
    });
    expect(sumCalls([])).toEqual({ calls: 0, errors: 0, input: 0, cached: 0, output: 0, unpriced: 0 });
  });
});

describe("metrics", () => {
  it("count every call in its own series, in whatever order the calls end", () => {
    const field = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
    const call = fc.record({
      route: field("/v1/messages", "/v1/responses"),
      upstream: field("a", "b", undefined),
      modelLabel: field("m", "n"),
      status: field(200, 429),
      errorCode: field(undefined, "upstream_error"),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        const metrics = createMetrics();
        for (const each of calls) {
          const { upstream = "none", status, errorCode } = each;
          const attempts = [{ upstream, key: undefined, status, errorCode, waitMs: 0, ms: 1 }];
          metrics.end(callRecord({ ...each, attempts }));
        }
        const { series, attempts } = metrics.counts();
        for (const { route, upstream, model, status, errorCode, calls: count } of series) {
          const own = calls.filter(
            (each) =>
              each.route === route &&
              (each.upstream ?? "") === upstream &&
              each.modelLabel === model &&
              each.status === status &&
              (each.errorCode ?? "") === errorCode,
          );
          expect(count).toBe(own.length);
        }
        expect(series.reduce((sum, { calls: count }) => sum + count, 0)).toBe(calls.length);
        for (const { upstream, status, errorCode, count } of attempts) {
          const own = calls.filter(
            (each) =>
              (each.upstream ?? "none") === upstream &&
              each.status === status &&
              (each.errorCode ?? "") === errorCode,
          );
          expect(count).toBe(own.length);
        }
        expect(attempts.reduce((sum, { count }) => sum + count, 0)).toBe(calls.length);
      }),
    );
  });
});

describe("latency histogram", () => {
  it("returns percentiles within 10 %, for a merged histogram as for one of all calls", () => {
    const times = fc.array(fc.double({ min: 1, max: 600_000, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(times, times, (one, other) => {
        const toHistogram = (all: readonly number[]) => {
          const histogram = createHistogram();
          for (const each of all) addTo(histogram, each);
          return histogram;
        };
        const all = [...one, ...other].toSorted((a, b) => a - b);
        const sum = sumHistograms([toHistogram(one), toHistogram(other)]);
        expect(sum).toEqual(toHistogram(all));
        const median = all[Math.ceil(all.length / 2) - 1] ?? 0;
        const estimate = percentile(sum, 0.5) ?? 0;
        expect(estimate).toBeGreaterThan(median * 0.9);
        expect(estimate).toBeLessThan(median * 1.1);
      }),
    );
    expect(percentile(createHistogram(), 0.5)).toBeUndefined();
  });
});
