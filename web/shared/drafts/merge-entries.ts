import { isSameValue } from "./merge-by-id.ts";

type Entries<Value> = readonly (readonly [key: string, value: Value])[];

/**
 * Merges two tabs' versions of entries. `base` is their common ancestor. A change in only one tab is kept; if both tabs
 * changed an entry, `mine` is kept. Pure.
 */
export function mergeEntries<Value>(
  base: Entries<Value>,
  mine: Entries<Value>,
  theirs: Entries<Value>,
): Map<string, Value> {
  const [before, own, other] = [new Map(base), new Map(mine), new Map(theirs)];
  const merged = new Map<string, Value>();
  for (const key of new Set([...other.keys(), ...own.keys()])) {
    const value = mergeValue(before.get(key), own.get(key), other.get(key));
    if (value !== undefined) merged.set(key, value);
  }
  return merged;
}

/** Returns the other tab's value unless this tab has changed its own. Pure. */
export function mergeValue<Value>(base: Value, mine: Value, theirs: Value): Value {
  return isSameValue(mine, base) ? theirs : mine;
}
