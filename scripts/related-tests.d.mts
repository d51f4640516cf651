export function findRelatedTests(changed: readonly string[], sources: ReadonlyMap<string, string>): string[];
