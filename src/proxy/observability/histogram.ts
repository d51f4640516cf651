/**
 * Buckets per doubling of a duration in the histogram. They are coarse enough to be kept for each series and fine
 * enough for percentiles within 10 %; histograms of several processes are merged by adding them.
 */
const STEPS_A_DOUBLING = 4;
/** Number of buckets; the last one also counts everything above a quarter of an hour. */
const STEPS = 80;

/** Creates an empty histogram. */
export function createHistogram(): number[] {
  return new Array<number>(STEPS).fill(0);
}

/** Adds one call. */
export function addTo(histogram: number[], milliseconds: number): void {
  const step =
    milliseconds <= 1 ? 0 : Math.min(STEPS - 1, Math.ceil(Math.log2(milliseconds) * STEPS_A_DOUBLING));
  histogram[step] = (histogram[step] ?? 0) + 1;
}

/** Merges several histograms. */
export function sumHistograms(histograms: readonly (readonly number[])[]): number[] {
  const sum = createHistogram();
  for (const histogram of histograms)
    for (const [step, count] of histogram.entries()) sum[step] = (sum[step] ?? 0) + count;
  return sum;
}

/** Returns the milliseconds that `share` (0 to 1) of the calls took at most; undefined if there are no calls. */
export function percentile(histogram: readonly number[], share: number): number | undefined {
  const wanted = share * histogram.reduce((sum, count) => sum + count, 0);
  if (wanted === 0) return undefined;
  let below = 0;
  for (const [step, count] of histogram.entries()) {
    below += count;
    if (below >= wanted) return 2 ** ((step - 0.5) / STEPS_A_DOUBLING);
  }
  return undefined;
}
