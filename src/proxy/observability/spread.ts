/**
 * How milliseconds are spread: counts of steps, four of which make a doubling. Coarse enough to be kept for each kind of
 * call, fine enough that a percentile is right within a tenth, and of two processes simply added up.
 */
const STEPS_A_DOUBLING = 4;
/** The last one holds everything above a quarter of an hour. */
const STEPS = 80;

/** Of no calls yet. */
export function createSpread(): number[] {
  return new Array<number>(STEPS).fill(0);
}

/** Counts one more call. */
export function addTo(spread: number[], milliseconds: number): void {
  const step =
    milliseconds <= 1 ? 0 : Math.min(STEPS - 1, Math.ceil(Math.log2(milliseconds) * STEPS_A_DOUBLING));
  spread[step] = (spread[step] ?? 0) + 1;
}

/** Of several spreads together. */
export function sumOfSpreads(spreads: readonly (readonly number[])[]): number[] {
  const sum = createSpread();
  for (const spread of spreads)
    for (const [step, count] of spread.entries()) sum[step] = (sum[step] ?? 0) + count;
  return sum;
}

/** The milliseconds that `share` (0 to 1) of the calls took at most; undefined where there are none. */
export function percentile(spread: readonly number[], share: number): number | undefined {
  const wanted = share * spread.reduce((sum, count) => sum + count, 0);
  if (wanted === 0) return undefined;
  let below = 0;
  for (const [step, count] of spread.entries()) {
    below += count;
    if (below >= wanted) return 2 ** ((step - 0.5) / STEPS_A_DOUBLING);
  }
  return undefined;
}
