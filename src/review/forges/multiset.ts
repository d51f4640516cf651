/** A set that can contain a value several times. */
export interface Multiset {
  /** Removes one occurrence. Returns false if there is none. */
  take(value: string): boolean;
}

export function createMultiset(values: readonly string[]): Multiset {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return {
    take(value) {
      const count = counts.get(value) ?? 0;
      if (count > 0) counts.set(value, count - 1);
      return count > 0;
    },
  };
}
