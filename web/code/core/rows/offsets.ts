/**
 * Computes prefix sums of heights in pixels: `offsets[i]` is the top of item i, and the last element is the
 * total height.
 */
export function computeOffsets(count: number, getHeight: (index: number) => number): Float64Array {
  const offsets = new Float64Array(count + 1);
  let sum = 0;
  for (let index = 0; index < count; index++) {
    offsets[index] = sum;
    sum += getHeight(index);
  }
  offsets[count] = sum;
  return offsets;
}

/** Returns the index of the item at `position`, clamped to the first and last. */
export function indexAt(offsets: Float64Array, position: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
