import { addTo, createHistogram } from "./histogram.ts";
import { countKey, type KeySeries } from "./key-series.ts";
import type { Refusal } from "./refusals.ts";
import type { AttemptRecord, CallRecord } from "./request-log.ts";

/** Counts calls as they begin and end. */
export interface Metrics {
  begin(): void;
  end(record: CallRecord): void;
  /** Counts a request that was rejected before it became a call. */
  refuse(refusal: Pick<Refusal, "status" | "errorCode" | "route">): void;
  readonly active: number;
  counts(): MetricCounts;
}

/** The counts since the start, as plain data. */
export interface MetricCounts {
  /** Calls being served. */
  readonly active: number;
  /** Active calls that wait for a connection to their upstream. */
  readonly queued: number;
  readonly series: readonly CallSeries[];
  /** Requests that were rejected before they became calls. */
  readonly refusals: readonly RefusalSeries[];
  /** Attempts at upstreams, whether their calls succeeded or not. */
  readonly attempts: readonly AttemptSeries[];
  /** Calls with a key, by key. */
  readonly keys: readonly KeySeries[];
}

/** Rejected requests of one route, with one status and error code. */
export interface RefusalSeries {
  /** The route's pattern; empty if none matched. */
  readonly route: string;
  readonly status: number;
  readonly errorCode: string;
  readonly count: number;
}

/** Attempts at one upstream with the same result. */
export interface AttemptSeries {
  readonly upstream: string;
  /** 0 if there was no complete response. */
  readonly status: number;
  /** Empty if the attempt succeeded. */
  readonly errorCode: string;
  readonly count: number;
}

/** Calls of one route to one model of one upstream, with one status and error code. */
export interface CallSeries {
  readonly route: string;
  readonly upstream: string;
  /** The model's name at the upstream, or a label that stands for several models (`model-labels.ts`). */
  readonly model: string;
  readonly status: number;
  /** The error code; empty if the calls did not fail. A call with a success status can have failed too. */
  readonly errorCode: string;
  readonly calls: number;
  /** Tokens; `input` includes those read from or written to a cache. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** The cost in US dollars of the calls whose cost is known, and the number of these calls. */
  readonly cost: number;
  readonly priced: number;
  /** Number of calls that used tokens and whose cost is not known. */
  readonly unpriced: number;
  /** Calls by bucket of their duration, and the sum of their durations in seconds. */
  readonly duration: readonly number[];
  readonly durationSum: number;
  /**
   * Streams by bucket of the time to their first byte, the sum of these times in seconds, and the number of streams.
   */
  readonly firstByte: readonly number[];
  readonly firstByteSum: number;
  readonly firstBytes: number;
  /** Calls by bucket of their duration, in the finer buckets of `histogram.ts`. */
  readonly histogram: readonly number[];
  /** When the last of these calls ended, ISO 8601, and its error message, if any. */
  readonly lastAt: string;
  readonly lastErrorMessage: string | undefined;
}

type Counting = { -readonly [Name in keyof CallSeries]: CallSeries[Name] } & {
  readonly duration: number[];
  readonly firstByte: number[];
  readonly histogram: number[];
};

/** Upper bounds of the buckets in seconds. */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** Maximum number of series, because model names come from clients. Calls of further series are counted as `other`. */
export const MAX_SERIES = 500;

export function createMetrics(queued = () => 0): Metrics {
  const all = new Map<string, Counting>();
  const refusals = new Map<string, RefusalSeries & Counted>();
  const attempts = new Map<string, AttemptSeries & Counted>();
  const keys = new Map<string, KeySeries>();
  let active = 0;
  let latest: Counting | undefined;
  let latestAttempt: (AttemptSeries & Counted) | undefined;
  const getSeries = (record: CallRecord): Counting => {
    // Most calls belong to the same series as the call before, and comparing takes 0.3 µs less than forming and finding
    // a key (bench/proxy/builds.mjs).
    if (latest === undefined || !isOfSeries(record, latest)) latest = findSeries(record);
    return latest;
  };
  const findSeries = (record: CallRecord): Counting => {
    const { route, upstream, status, errorCode } = record;
    const key = `${route} ${upstream} ${getModelLabel(record)} ${status} ${errorCode}`;
    const named = all.has(key) || all.size < MAX_SERIES;
    const kept = named ? key : `other ${status} ${errorCode}`;
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
      count(getSeries(record), record);
      for (const attempt of record.attempts ?? []) {
        if (latestAttempt === undefined || !isOfAttempts(attempt, latestAttempt))
          latestAttempt = findAttempts(attempts, attempt);
        latestAttempt.count += 1;
      }
      if (record.key !== undefined) countKey(keys, record.key, record);
    },
    refuse({ route, status, errorCode }) {
      const first = { route, status, errorCode, count: 0 };
      findOrAdd(refusals, `${route} ${status} ${errorCode}`, first).count += 1;
    },
    counts: () => ({
      active,
      queued: queued(),
      series: [...all.values()],
      refusals: [...refusals.values()],
      attempts: [...attempts.values()],
      keys: [...keys.values()],
    }),
  };
}

interface Counted {
  count: number;
}

/** Returns the series of this name; adds `first` if there is none. */
function findOrAdd<Series>(all: Map<string, Series>, name: string, first: Series): Series {
  const series = all.get(name) ?? first;
  all.set(name, series);
  return series;
}

function findAttempts(
  all: Map<string, AttemptSeries & Counted>,
  { upstream, status = 0, errorCode = "" }: AttemptRecord,
): AttemptSeries & Counted {
  const first = { upstream, status, errorCode, count: 0 };
  return findOrAdd(all, `${upstream} ${status} ${errorCode}`, first);
}

function isOfAttempts(
  { upstream, status = 0, errorCode = "" }: AttemptRecord,
  series: AttemptSeries,
): boolean {
  return series.upstream === upstream && series.status === status && series.errorCode === errorCode;
}

function isOfSeries(record: CallRecord, series: CallSeries): boolean {
  const { route, upstream = "", status, errorCode = "" } = record;
  return (
    series.route === route &&
    series.upstream === upstream &&
    series.status === status &&
    series.errorCode === errorCode &&
    series.model === getModelLabel(record)
  );
}

function getModelLabel({ modelLabel, upstreamModel }: CallRecord): string {
  return modelLabel ?? upstreamModel ?? "";
}

function createSeries(record: CallRecord, named: boolean): Counting {
  return {
    route: named ? record.route : "other",
    upstream: named ? (record.upstream ?? "") : "other",
    model: named ? getModelLabel(record) : "other",
    status: record.status,
    errorCode: record.errorCode ?? "",
    calls: 0,
    input: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    reasoning: 0,
    cost: 0,
    priced: 0,
    unpriced: 0,
    duration: BUCKETS.map(() => 0),
    durationSum: 0,
    firstByte: BUCKETS.map(() => 0),
    firstByteSum: 0,
    firstBytes: 0,
    histogram: createHistogram(),
    lastAt: record.time,
    lastErrorMessage: record.errorMessage,
  };
}

function count(series: Counting, record: CallRecord): void {
  const { usage, cost, ms, firstByteMs, stream } = record;
  series.calls += 1;
  if (usage) {
    series.input += usage.input.total ?? 0;
    series.cacheRead += usage.input.cacheRead ?? 0;
    series.cacheWrite += usage.input.cacheWrite ?? 0;
    series.output += usage.output.total ?? 0;
    series.reasoning += usage.output.reasoning ?? 0;
    if (cost === undefined) series.unpriced += 1;
  }
  if (cost !== undefined) {
    series.cost += cost;
    series.priced += 1;
  }
  series.durationSum += ms / 1000;
  observe(series.duration, ms / 1000);
  addTo(series.histogram, ms);
  series.lastAt = record.time;
  series.lastErrorMessage = record.errorMessage;
  if (firstByteMs === undefined || !stream) return;
  series.firstBytes += 1;
  series.firstByteSum += firstByteMs / 1000;
  observe(series.firstByte, firstByteMs / 1000);
}

function observe(buckets: number[], seconds: number): void {
  const index = BUCKETS.findIndex((limit) => seconds <= limit);
  if (index >= 0) buckets[index] = (buckets[index] ?? 0) + 1;
}
