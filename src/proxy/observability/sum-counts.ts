import { sumHistograms } from "./histogram.ts";
import { addKeySeries, type KeySeries } from "./key-series.ts";
import { BUCKETS, type CallSeries, MAX_SERIES, type MetricCounts } from "./metrics.ts";

/** The counts of a process that has served nothing. */
export const NO_COUNTS: MetricCounts = {
  active: 0,
  queued: 0,
  series: [],
  refusals: [],
  attempts: [],
  keys: [],
};

/** Adds up the counts of several processes. */
export function sumCounts(all: readonly MetricCounts[]): MetricCounts {
  const series = new Map<string, CallSeries>();
  for (const counts of all) for (const each of counts.series) add(series, each);
  return {
    active: all.reduce((sum, { active }) => sum + active, 0),
    queued: all.reduce((sum, { queued }) => sum + queued, 0),
    series: [...series.values()],
    refusals: mergeSeries(all.flatMap(({ refusals }) => refusals)),
    attempts: mergeSeries(all.flatMap(({ attempts }) => attempts)),
    keys: mergeKeySeries(all.flatMap(({ keys }) => keys)),
  };
}

/**
 * Adds the counts of a process that has ended to those of processes that ended earlier. The result has no active calls
 * and at most `MAX_SERIES` series with a name.
 */
export function retired(before: MetricCounts, one: MetricCounts): MetricCounts {
  const series = new Map(before.series.map((each) => [getSeriesName(each), each]));
  for (const each of one.series) {
    const isNamed = series.has(getSeriesName(each)) || series.size < MAX_SERIES;
    add(series, isNamed ? each : { ...each, route: "other", upstream: "other", model: "other" });
  }
  return {
    active: 0,
    queued: 0,
    series: [...series.values()],
    refusals: mergeSeries([...before.refusals, ...one.refusals]),
    attempts: mergeSeries([...before.attempts, ...one.attempts]),
    keys: mergeKeySeries([...before.keys, ...one.keys]),
  };
}

/** Adds up series that differ only in their count. */
function mergeSeries<Series extends { readonly count: number }>(all: readonly Series[]): Series[] {
  const sums = new Map<string, Series>();
  for (const each of all) {
    const name = JSON.stringify({ ...each, count: 0 });
    const known = sums.get(name);
    sums.set(name, known === undefined ? each : { ...known, count: known.count + each.count });
  }
  return [...sums.values()];
}

function mergeKeySeries(all: readonly KeySeries[]): KeySeries[] {
  const sums = new Map<string, KeySeries>();
  for (const each of all) addKeySeries(sums, each);
  return [...sums.values()];
}

function add(all: Map<string, CallSeries>, one: CallSeries): void {
  const name = getSeriesName(one);
  const known = all.get(name);
  all.set(name, known === undefined ? one : addCallSeries(known, one));
}

function getSeriesName({ route, upstream, model, status, errorCode }: CallSeries): string {
  return `${route} ${upstream} ${model} ${status} ${errorCode}`;
}

function addCallSeries(one: CallSeries, other: CallSeries): CallSeries {
  const later = one.lastAt < other.lastAt ? other : one;
  return {
    route: one.route,
    upstream: one.upstream,
    model: one.model,
    status: one.status,
    errorCode: one.errorCode,
    calls: one.calls + other.calls,
    input: one.input + other.input,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    cost: one.cost + other.cost,
    priced: one.priced + other.priced,
    unpriced: one.unpriced + other.unpriced,
    duration: addBuckets(one.duration, other.duration),
    durationSum: one.durationSum + other.durationSum,
    firstByte: addBuckets(one.firstByte, other.firstByte),
    firstByteSum: one.firstByteSum + other.firstByteSum,
    firstBytes: one.firstBytes + other.firstBytes,
    histogram: sumHistograms([one.histogram, other.histogram]),
    lastAt: later.lastAt,
    lastErrorMessage: later.lastErrorMessage,
  };
}

function addBuckets(one: readonly number[], other: readonly number[]): number[] {
  return BUCKETS.map((_, index) => (one[index] ?? 0) + (other[index] ?? 0));
}
