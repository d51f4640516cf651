export interface VisibleRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Pixels above the first visible item. */
  readonly before: number;
  /** Pixels below the last visible item. */
  readonly after: number;
}

/** Returns the items of a list of different heights that are between two positions, in pixels from its top. */
export function visibleRange(heights: readonly number[], top: number, bottom: number): VisibleRange {
  let from = 0;
  let before = 0;
  while (from < heights.length && before + (heights[from] ?? 0) < top) {
    before += heights[from] ?? 0;
    from++;
  }
  let to = from;
  let end = before;
  while (to < heights.length && end <= bottom) {
    end += heights[to] ?? 0;
    to++;
  }
  let after = 0;
  for (let at = to; at < heights.length; at++) after += heights[at] ?? 0;
  return { from, to, before, after };
}
