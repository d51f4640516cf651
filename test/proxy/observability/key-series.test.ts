import { describe, expect, it } from "vitest";
import { createMetrics, type MetricCounts } from "../../../src/proxy/observability/metrics.ts";
import { metricsText } from "../../../src/proxy/observability/metrics-text.ts";
import type { CallRecord } from "../../../src/proxy/observability/request-log.ts";
import { NO_COUNTS, retired, sumCounts } from "../../../src/proxy/observability/sum-counts.ts";

const call = {
  time: "2026-01-02T03:04:05.000Z",
  route: "/v1/messages",
  status: 200,
  ms: 1,
  usage: { input: { total: 10 }, output: { total: 3 } },
  cost: 0.1,
} as CallRecord;

function counted(records: readonly Partial<CallRecord>[]): MetricCounts {
  const metrics = createMetrics();
  for (const record of records) {
    metrics.begin();
    metrics.end({ ...call, ...record });
  }
  return metrics.counts();
}

const linesOf = (counts: MetricCounts) =>
  metricsText(counts)
    .split("\n")
    .filter((line) => line.startsWith("sallyport_key_"));

describe("metrics by key and team", () => {
  it("sum the calls, errors, tokens and cost of each key", () => {
    const alice = { key: "alice", team: "search" };
    const counts = counted([
      alice,
      alice,
      { ...alice, status: 499, errorCode: "client_gone" },
      { ...alice, errorCode: "upstream_error" },
      { key: 'a"b' },
      { key: undefined },
    ]);
    expect(linesOf(counts)).toEqual([
      'sallyport_key_calls_total{key="alice",team="search"} 4',
      'sallyport_key_calls_total{key="a\\"b",team=""} 1',
      'sallyport_key_errors_total{key="alice",team="search"} 1',
      'sallyport_key_errors_total{key="a\\"b",team=""} 0',
      'sallyport_key_tokens_total{key="alice",team="search",gen_ai_token_type="input"} 40',
      'sallyport_key_tokens_total{key="alice",team="search",gen_ai_token_type="output"} 12',
      'sallyport_key_tokens_total{key="a\\"b",team="",gen_ai_token_type="input"} 10',
      'sallyport_key_tokens_total{key="a\\"b",team="",gen_ai_token_type="output"} 3',
      'sallyport_key_cost_usd_total{key="alice",team="search"} 0.4',
      'sallyport_key_cost_usd_total{key="a\\"b",team=""} 0.1',
    ]);
  });

  it("count at most 1,000 keys by name, over several processes including ended ones", () => {
    const of = (worker: number) =>
      counted(Array.from({ length: 600 }, (_, index) => ({ key: `${worker}-${index}`, team: "t" })));
    const running = sumCounts([of(1), of(2)]);
    const ended = [1, 2, 3].reduce((before, worker) => retired(before, of(worker)), NO_COUNTS);
    expect(running.keys.length).toBe(1001);
    expect(ended.keys.length).toBe(1001);
    expect(running.keys.at(-1)).toMatchObject({ key: "other", team: "other", calls: 200, input: 2000 });
    expect(ended.keys.reduce((sum, { calls }) => sum + calls, 0)).toBe(1800);
  });
});
