export function findRelatedTests(
  changed: readonly string[],
  sources: ReadonlyMap<string, string>,
): { tests: string[]; omitted: number };
