import { LATENCY_BUCKETS } from "../../database/migrations-ledger.ts";

/** Counts of calls by latency; see `LATENCY_BUCKETS`. */
export type LatencyCounts = number[];

export function emptyCounts(): LatencyCounts {
  return new Array<number>(LATENCY_BUCKETS).fill(0);
}

/**
 * Returns the bucket of a latency in milliseconds. Bucket 0 ends at 1 ms, bucket n at √2ⁿ ms; the last bucket has no
 * end.
 */
export function findBucket(ms: number): number {
  if (ms <= 1) return 0;
  return Math.min(LATENCY_BUCKETS - 1, Math.ceil(2 * Math.log2(ms)));
}

/** Returns the SQL expression for the bucket of a column of latencies, as in `findBucket`; null for a null latency. */
export function bucketSql(column: string): string {
  const last = LATENCY_BUCKETS - 1;
  const cases = Array.from(
    { length: last },
    (_, bucket) => `when ${column} <= ${2 ** (bucket / 2)} then ${bucket}`,
  );
  return `case when ${column} is null then null ${cases.join(" ")} else ${last} end`;
}

export function countIn(counts: LatencyCounts, bucket: number, calls = 1): void {
  counts[bucket] = (counts[bucket] ?? 0) + calls;
}

/** Adds the counts of a histogram to those of another. */
export function addCounts(counts: LatencyCounts, added: LatencyCounts): void {
  for (const [bucket, each] of added.entries()) if (each > 0) countIn(counts, bucket, each);
}

/** Returns the counts as JSON without empty buckets, such as `{"12":5}`. */
export function toJson(counts: LatencyCounts): string {
  return JSON.stringify(Object.fromEntries([...counts.entries()].filter(([, each]) => each > 0)));
}

const [ZERO, NINE, QUOTE] = [48, 57, 34];

/**
 * Adds concatenated histograms in the form of `toJson` to `counts`. Reads digits instead of calling `JSON.parse`, which
 * would create objects: a report by day on 1,000 keys has 60,000 histograms a month.
 */
function readCounts(texts: string, counts: LatencyCounts): void {
  let [bucket, number, hasDigits] = [0, 0, false];
  for (let index = 0; index < texts.length; index += 1) {
    const character = texts.charCodeAt(index);
    if (character >= ZERO && character <= NINE) {
      number = number * 10 + (character - ZERO);
      hasDigits = true;
    } else if (hasDigits) {
      if (character === QUOTE) bucket = number;
      else countIn(counts, bucket, number);
      [number, hasDigits] = [0, false];
    }
  }
}

const counted = emptyCounts();

/** Returns quantiles, in milliseconds, of the sum of concatenated histograms in the form of `toJson`. */
export function estimateQuantiles(texts: string, quantiles: readonly number[]): (number | null)[] {
  counted.fill(0);
  readCounts(texts, counted);
  return quantiles.map((quantile) => estimateQuantile(counted, quantile));
}

/** Returns a quantile in milliseconds, interpolated within its bucket; null without calls. */
function estimateQuantile(counts: LatencyCounts, quantile: number): number | null {
  const total = counts.reduce((sum, each) => sum + each, 0);
  if (total === 0) return null;
  let rest = quantile * total;
  for (const [bucket, each] of counts.entries()) {
    if (rest <= each && each > 0) {
      const upper = 2 ** (bucket / 2);
      const lower = bucket === 0 ? 0 : 2 ** ((bucket - 1) / 2);
      return Math.round((lower + (upper - lower) * (rest / each)) * 100) / 100;
    }
    rest -= each;
  }
  return null;
}
