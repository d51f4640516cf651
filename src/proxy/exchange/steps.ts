/**
 * A conversion of long lists that pauses at each `yield`, so that other calls can be served before it continues.
 * Without pauses, a list of 100,000 values would block the event loop for half a second (bench/proxy/large-bodies.mjs).
 */
export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Number of values that are converted between two pauses. A step usually takes less than 20 ms. */
export const VALUES_PER_STEP = 2_048;

/**
 * Number of values since the last pause. All lists share this counter, because lists nest and all calls use one thread.
 */
let values = 0;

/** Counts values that are converted next. Returns whether the caller must `yield` before it converts them. */
export function isPauseDue(count = 1): boolean {
  values += count;
  if (values < VALUES_PER_STEP) return false;
  values = 0;
  return true;
}

/** Runs all steps without a pause, for a small body. Returns the result. */
export function finishSteps<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Converts each element of a list, with pauses. */
export function* mapInSteps<Item, Mapped>(
  items: readonly Item[],
  convert: (item: Item) => Mapped,
): Steps<Mapped[]> {
  const mapped: Mapped[] = [];
  for (const item of items) {
    if (isPauseDue()) yield;
    mapped.push(convert(item));
  }
  return mapped;
}

/** Counts the values of parsed JSON, nested ones included. Stops when the count reaches `limit`. */
export function countValues(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      count += countValues(item, limit - count);
      if (count >= limit) return count;
    }
    return count;
  }
  for (const name in value) {
    count += countValues((value as Record<string, unknown>)[name], limit - count);
    if (count >= limit) return count;
  }
  return count;
}
