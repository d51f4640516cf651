import type { CallRecord } from "./request-log.ts";
import { addTo, createSpread } from "./spread.ts";

/** Counts calls as they begin and end. */
export interface Metrics {
  begin(): void;
  end(record: CallRecord): void;
  readonly active: number;
  counts(): MetricCounts;
}

/** What was counted since the start: plain data. */
export interface MetricCounts {
  /** Calls being served. */
  readonly active: number;
  readonly series: readonly CallSeries[];
}

/** Calls of one route, to one model of one upstream, with one status. */
export interface CallSeries {
  readonly route: string;
  readonly upstream: string;
  /** As the upstream knows it. */
  readonly model: string;
  readonly status: number;
  readonly calls: number;
  /** Tokens; `input` holds those that a cache gave or took. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** US dollars, of the calls whose cost is known, and how many these are. */
  readonly cost: number;
  readonly priced: number;
  /** Calls that took tokens whose cost is not known. */
  readonly unpriced: number;
  /** Calls by the bucket of their seconds, and the sum of these. */
  readonly duration: readonly number[];
  readonly durationSum: number;
  readonly firstByte: readonly number[];
  readonly firstByteSum: number;
  readonly firstBytes: number;
  /** Calls by their milliseconds, more finely (`spread.ts`). */
  readonly spread: readonly number[];
  /** ISO 8601, of the last of them, and its fault if it had one. */
  readonly lastAt: string;
  readonly lastFault: string | undefined;
}

type Counting = { -readonly [Name in keyof CallSeries]: CallSeries[Name] } & {
  readonly duration: number[];
  readonly firstByte: number[];
  readonly spread: number[];
};

/** Upper ends, in seconds. */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** Series beyond this are counted under `other`: model names come from clients. */
export const MOST_SERIES = 500;

/** Counts of a process that begins to serve. */
export function createMetrics(): Metrics {
  const all = new Map<string, Counting>();
  let active = 0;
  let last: { readonly of: CallRecord; readonly series: Counting } | undefined;
  const seriesOf = (record: CallRecord): Counting => {
    // Calls come in runs of one kind.
    if (last && isAlike(last.of, record)) return last.series;
    const series = findSeries(record);
    last = { of: record, series };
    return series;
  };
  const findSeries = (record: CallRecord): Counting => {
    const key = `${record.route} ${record.upstream} ${record.upstreamModel} ${record.status}`;
    const named = all.has(key) || all.size < MOST_SERIES;
    const kept = named ? key : `other ${record.status}`;
    const known = all.get(kept);
    if (known) return known;
    const series = createSeries(record, named);
    all.set(kept, series);
    return series;
  };
  return {
    begin() {
      active += 1;
    },
    get active() {
      return active;
    },
    end(record) {
      active -= 1;
      count(seriesOf(record), record);
    },
    counts: () => ({ active, series: [...all.values()] }),
  };
}

function createSeries(record: CallRecord, named: boolean): Counting {
  return {
    route: named ? record.route : "other",
    upstream: named ? (record.upstream ?? "") : "other",
    model: named ? (record.upstreamModel ?? "") : "other",
    status: record.status,
    calls: 0,
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    cost: 0,
    priced: 0,
    unpriced: 0,
    duration: BUCKETS.map(() => 0),
    durationSum: 0,
    firstByte: BUCKETS.map(() => 0),
    firstByteSum: 0,
    firstBytes: 0,
    spread: createSpread(),
    lastAt: record.time,
    lastFault: record.fault,
  };
}

function count(series: Counting, record: CallRecord): void {
  const { usage, cost, ms, firstByteMs } = record;
  series.calls += 1;
  if (usage) {
    series.input += usage.input.total ?? 0;
    series.cacheRead += usage.input.cacheRead ?? 0;
    series.cacheWrite += usage.input.cacheWrite ?? 0;
    series.output += usage.output.total ?? 0;
    if (cost === undefined) series.unpriced += 1;
  }
  if (cost !== undefined) {
    series.cost += cost;
    series.priced += 1;
  }
  series.durationSum += ms / 1000;
  observe(series.duration, ms / 1000);
  addTo(series.spread, ms);
  series.lastAt = record.time;
  series.lastFault = record.fault;
  if (firstByteMs === undefined) return;
  series.firstBytes += 1;
  series.firstByteSum += firstByteMs / 1000;
  observe(series.firstByte, firstByteMs / 1000);
}

/** Whether two calls count in the same series. */
function isAlike(one: CallRecord, other: CallRecord): boolean {
  return (
    one.status === other.status &&
    one.route === other.route &&
    one.upstream === other.upstream &&
    one.upstreamModel === other.upstreamModel
  );
}

function observe(buckets: number[], seconds: number): void {
  const index = BUCKETS.findIndex((limit) => seconds <= limit);
  if (index >= 0) buckets[index] = (buckets[index] ?? 0) + 1;
}
