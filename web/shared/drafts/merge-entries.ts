import { isSameValue } from "./merge-by-id.ts";

type Entries<Value> = readonly (readonly [key: string, value: Value])[];
type Merge<Value> = (base: Value, mine: Value, theirs: Value) => Value;

/**
 * Merges two tabs' versions of entries, each with `merge`. `base` is their common ancestor. By default, a change in only
 * one tab is kept; if both tabs changed an entry, `mine` is kept. Pure.
 */
export function mergeEntries<Value>(
  base: Entries<Value>,
  mine: Entries<Value>,
  theirs: Entries<Value>,
  merge: Merge<Value | undefined> = mergeValue,
): Map<string, Value> {
  const [before, own, other] = [new Map(base), new Map(mine), new Map(theirs)];
  const merged = new Map<string, Value>();
  for (const key of new Set([...other.keys(), ...own.keys()])) {
    const value = merge(before.get(key), own.get(key), other.get(key));
    if (value !== undefined) merged.set(key, value);
  }
  return merged;
}

/** Returns the other tab's value unless this tab has changed its own. Pure. */
export function mergeValue<Value>(base: Value, mine: Value, theirs: Value): Value {
  return isSameValue(mine, base) ? theirs : mine;
}

/**
 * Merges two tabs' versions of a text that a person types. If both tabs have changed it, returns the version that
 * contains the other, or both one after the other, so that no text is lost. Pure.
 */
export function mergeText(base: string, mine: string, theirs: string): string {
  if (mine === base || theirs.includes(mine)) return theirs;
  if (theirs === base || mine.includes(theirs)) return mine;
  return `${theirs}\n\n${mine}`;
}
