// Finds ratios that are worse than the stored ones.
const TOLERANCE = 0.2;

/**
 * Returns the ratios of `results` that are more than 20 % worse than in `stored` (bench id → name → ratio), each as
 * `{id, title, name, lower, before, now}`. If a ratio was measured several times, the best counts.
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

/** Returns the stored ratios that a successful run of their bench did not measure, as `title of the bench: name`. */
export function unmeasured(results, stored) {
  return results
    .filter(({ failed }) => !failed)
    .flatMap(({ id, title, ratios }) =>
      Object.keys(stored[id] ?? {})
        .filter((name) => !(name in ratios))
        .map((name) => `${title}: ${name}`),
    );
}
