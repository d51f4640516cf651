/**
 * Work on long lists that can pause: at each `yield`, other calls may be served before it continues. A list of 100,000
 * values would otherwise block the event loop for half a second (bench/proxy/large-bodies.mjs).
 */
export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Values that are converted between two pauses, at most 20 ms. */
export const VALUES_PER_STEP = 2_048;

/** Values since the last pause, of all lists together: lists nest, and only one call's steps run at a time. */
let values = 0;

/** Counts values that are about to be converted; returns whether to `yield` before that. */
export function isPauseDue(count = 1): boolean {
  values += count;
  if (values < VALUES_PER_STEP) return false;
  values = 0;
  return true;
}

/** Runs all steps without a pause; for bodies that are small. */
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

/** Counts the values of a parsed JSON text, at most `limit`. */
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
