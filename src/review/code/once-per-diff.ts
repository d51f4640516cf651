import type { Snapshot } from "../git/snapshot.ts";

/** Returns a function that calls `compute` once for each diff and keeps the result. A failure is not kept. */
export function oncePerDiff<Result, More extends readonly unknown[]>(
  compute: (snapshot: Snapshot, ...more: More) => Promise<Result>,
): (snapshot: Snapshot, ...more: More) => Promise<Result> {
  const results = new WeakMap<Snapshot, Promise<Result>>();
  return (snapshot, ...more) => {
    const result = results.get(snapshot) ?? compute(snapshot, ...more);
    results.set(snapshot, result);
    result.catch(() => results.delete(snapshot));
    return result;
  };
}
