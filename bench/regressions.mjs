// Which ratios have become worse than the stored ones, and by how much that counts.
const TOLERANCE = 0.2;

/**
 * The ratios of `results` that are more than a fifth worse than in `stored` (bench id → name → ratio), each as
 * `{id, title, name, lower, before, now}`. Where a ratio was measured more than once its best counts.
 */
export function regressions(results, stored) {
  const best = new Map();
  for (const { id, title, lower, ratios } of results) {
    for (const [name, now] of Object.entries(ratios)) {
      const key = `${id} ${name}`;
      const other = best.get(key)?.now ?? now;
      best.set(key, { id, title, name, lower, now: lower ? Math.min(now, other) : Math.max(now, other) });
    }
  }
  return [...best.values()].flatMap(({ id, title, name, lower, now }) => {
    const before = stored[id]?.[name];
    if (before === undefined) return [];
    const isWorse = lower ? now > before * (1 + TOLERANCE) : now < before * (1 - TOLERANCE);
    return isWorse ? [{ id, title, name, lower, before, now }] : [];
  });
}

/** The stored ratios, as `bench: name`, that a run of their bench did not come to: a regression could hide there. */
export function unmeasured(results, stored) {
  return results
    .filter(({ failed }) => !failed)
    .flatMap(({ id, title, ratios }) =>
      Object.keys(stored[id] ?? {})
        .filter((name) => !(name in ratios))
        .map((name) => `${title}: ${name}`),
    );
}
