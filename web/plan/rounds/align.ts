import { diffArrays } from "diff";

/** An item of the alignment of two lists, in order. */
export type Alignment<Item> =
  | { readonly kind: "same"; readonly after: Item }
  | { readonly kind: "added"; readonly after: Item }
  | { readonly kind: "removed"; readonly before: Item }
  /** `after` replaced `before`. */
  | { readonly kind: "changed"; readonly before: Item; readonly after: Item };

interface Comparable {
  /** Items with the same key are equal. */
  readonly key: string;
}

/**
 * Maximum number of edits between aligned lists. With more edits, no items count as equal: similar items are paired,
 * and all others are removed or added.
 */
const MAX_EDITS = 3_000;
/** Maximum number of added items that are searched for the successor of a removed item. */
const MAX_LOOKAHEAD = 40;

/** Aligns two lists. `isSuccessor` decides whether an item replaced another. */
export function align<Item extends Comparable>(
  before: readonly Item[],
  after: readonly Item[],
  isSuccessor: (before: Item, after: Item) => boolean,
): Alignment<Item>[] {
  const result: Alignment<Item>[] = [];
  let [old, now] = [0, 0];
  for (const { removed, added, same } of runs(before, after)) {
    appendAll(result, pair(before.slice(old, old + removed), after.slice(now, now + added), isSuccessor));
    [old, now] = [old + removed, now + added];
    for (const item of after.slice(now, now + same)) result.push({ kind: "same", after: item });
    [old, now] = [old + same, now + same];
  }
  return result;
}

interface Run {
  readonly removed: number;
  readonly added: number;
  /** Number of equal items after the edits. */
  readonly same: number;
}

function runs(before: readonly Comparable[], after: readonly Comparable[]): Run[] {
  const parts = diffArrays(
    before.map(({ key }) => key),
    after.map(({ key }) => key),
    { maxEditLength: MAX_EDITS },
  );
  if (!parts) return [{ removed: before.length, added: after.length, same: 0 }];
  const found: { removed: number; added: number; same: number }[] = [{ removed: 0, added: 0, same: 0 }];
  for (const { value, removed, added } of parts) {
    let last = found.at(-1);
    if ((removed || added) && last && last.same > 0) found.push({ removed: 0, added: 0, same: 0 });
    last = found.at(-1);
    if (!last) continue;
    if (removed) last.removed += value.length;
    else if (added) last.added += value.length;
    else last.same += value.length;
  }
  return found;
}

/** Pairs removed and added items that are similar. All other items stay removed or added. */
function pair<Item>(
  removed: readonly Item[],
  added: readonly Item[],
  isSuccessor: (before: Item, after: Item) => boolean,
): Alignment<Item>[] {
  const result: Alignment<Item>[] = [];
  let next = 0;
  for (const before of removed) {
    const found = added
      .slice(next, next + MAX_LOOKAHEAD)
      .findIndex((candidate) => isSuccessor(before, candidate));
    const after = found === -1 ? undefined : added[next + found];
    if (after === undefined) {
      result.push({ kind: "removed", before });
      continue;
    }
    for (const item of added.slice(next, next + found)) result.push({ kind: "added", after: item });
    result.push({ kind: "changed", before, after });
    next += found + 1;
  }
  for (const item of added.slice(next)) result.push({ kind: "added", after: item });
  return result;
}

/** Appends items one by one, because a list may have more items than a call accepts arguments. */
function appendAll<Item>(list: Item[], items: readonly Item[]): void {
  for (const item of items) list.push(item);
}
