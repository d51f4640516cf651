import type { Snapshot } from "../git/snapshot.ts";

/** Returns a function that calls `compute` once for each diff and keeps the result. A failure is not kept. */
export function oncePerDiff<Result>(
  compute: (snapshot: Snapshot) => Promise<Result>,
): (snapshot: Snapshot) => Promise<Result> {
  const results = new WeakMap<Snapshot, Promise<Result>>();
  return (snapshot) => {
    const result = results.get(snapshot) ?? compute(snapshot);
    results.set(snapshot, result);
    result.catch(() => results.delete(snapshot));
    return result;
  };
}
