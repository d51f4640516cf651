/** An item that two tabs may both change. */
interface Identified {
  readonly id: string;
}

/**
 * Merges two tabs' versions of a list. `base` is their common ancestor. A change in only one tab is kept. If both tabs
 * changed an item differently, the item of `mine` is added as the copy that `copyOf` returns, so that no text is lost.
 * Items that are equal in both tabs are the objects of `mine`. Pure.
 */
export function mergeById<Item extends Identified>(
  base: readonly Item[],
  mine: readonly Item[],
  theirs: readonly Item[],
  copyOf: (item: Item) => Item,
): Item[] {
  const [before, own] = [byId(base), byId(mine)];
  const merged = theirs.flatMap((their) => {
    const [first, my] = [before.get(their.id), own.get(their.id)];
    if (!my) return first && isSameValue(first, their) ? [] : [their];
    if (isSameValue(my, their)) return [my];
    if (first && isSameValue(first, my)) return [their];
    if (first && isSameValue(first, their)) return [my];
    return [their, copyOf(my)];
  });
  const known = byId(theirs);
  const added = mine.filter((my) => {
    const first = before.get(my.id);
    return !known.has(my.id) && !(first && isSameValue(first, my));
  });
  return [...merged, ...added];
}

const byId = <Item extends Identified>(items: readonly Item[]) =>
  new Map(items.map((item) => [item.id, item]));

/** Compares by value: an item from the network is another object. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return a === b || canonical(a) === canonical(b);
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
