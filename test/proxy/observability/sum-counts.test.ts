import { describe, expect, it } from "vitest";
import { createMetrics, type MetricCounts } from "../../../src/proxy/observability/metrics.ts";
import { metricsText } from "../../../src/proxy/observability/metrics-text.ts";
import type { CallRecord } from "../../../src/proxy/observability/request-log.ts";
import { NO_COUNTS, retired, sumCounts } from "../../../src/proxy/observability/sum-counts.ts";

const call = {
  time: "2026-01-02T03:04:05.000Z",
  route: "/v1/messages",
  upstream: "a",
  upstreamModel: "m",
  status: 200,
  ms: 300,
  firstByteMs: 20,
  usage: { input: { total: 10, cacheRead: 4 }, output: { total: 3 } },
  cost: 0.25,
} as CallRecord;

function counted(records: readonly CallRecord[], running = 0): MetricCounts {
  const metrics = createMetrics();
  for (let each = 0; each < records.length + running; each += 1) metrics.begin();
  for (const record of records) metrics.end(record);
  return metrics.counts();
}

describe("the counts of several processes", () => {
  it("add up to those of a single process", () => {
    const later = { ...call, time: "2026-01-02T03:04:06.000Z", ms: 7000, errorMessage: "no" };
    const records = [call, { ...call, status: 500 }, { ...call, upstreamModel: "n" }, call, later];
    const apart = sumCounts([counted(records.slice(0, 2), 1), NO_COUNTS, counted(records.slice(2), 2)]);
    const alone = counted(records, 3);
    const inOrder = ({ series }: MetricCounts) =>
      series.toSorted((one, other) =>
        `${one.model}${one.status}` < `${other.model}${other.status}` ? -1 : 1,
      );
    expect(apart.active).toBe(3);
    expect(inOrder(apart).map(({ lastAt: _, lastErrorMessage: __, ...rest }) => rest)).toEqual(
      inOrder(alone).map(({ lastAt: _, lastErrorMessage: __, ...rest }) => rest),
    );
    const latest = inOrder(apart).find(({ calls }) => calls === 3);
    expect(latest).toMatchObject({ lastAt: later.time, lastErrorMessage: "no" });
  });

  it("remain when a process has ended, without its running calls", () => {
    const before = retired(retired(NO_COUNTS, counted([call, call], 4)), counted([call]));
    expect(before).toMatchObject({ active: 0, series: [{ calls: 3, input: 30, cost: 0.75 }] });
    expect(metricsText(sumCounts([before, counted([call])]))).toMatch(/^sallyport_calls_total\{.*\} 4$/m);
  });

  it("do not grow with each process that ends", () => {
    const of = (worker: number) =>
      counted(Array.from({ length: 400 }, (_, index) => ({ ...call, upstreamModel: `m${worker}-${index}` })));
    const all = [0, 1, 2].reduce((before, worker) => retired(before, of(worker)), NO_COUNTS);
    expect(all.series.length).toBe(501);
    expect(all.series.reduce((sum, { calls }) => sum + calls, 0)).toBe(1200);
    expect(all.series.at(-1)).toMatchObject({ route: "other", model: "other", calls: 700 });
  });
});
