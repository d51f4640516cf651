import type { Period } from "../../config/proxy/limits.ts";

/** A calendar period in UTC: milliseconds since 1970. `total` begins at 0 and does not end. */
export interface PeriodBounds {
  readonly start: number;
  readonly end: number | undefined;
}

const DAY_MS = 86_400_000;

/** Caches the last period of each kind, because almost all calls need the current one. */
const latest: Partial<Record<Period, PeriodBounds>> = {};

/** Returns the period that contains a time. Weeks begin on Monday. */
export function periodAt(period: Period, at: number): PeriodBounds {
  const known = latest[period];
  if (known !== undefined && at >= known.start && (known.end === undefined || at < known.end)) return known;
  const bounds = findBounds(period, at);
  latest[period] = bounds;
  return bounds;
}

function findBounds(period: Period, at: number): PeriodBounds {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (period) {
    case "day": {
      const start = Date.UTC(year, month, day);
      return { start, end: start + DAY_MS };
    }
    case "week": {
      const start = Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
      return { start, end: start + 7 * DAY_MS };
    }
    case "month":
      return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
    case "total":
      return { start: 0, end: undefined };
  }
}

/**
 * Returns the starts of the previous, the current and the next period, and the end of the next one; only 0 for `total`.
 * A store whose clock differs from this process's chooses among them.
 */
export function startsAround(period: Period, at: number): readonly number[] {
  const { start, end } = periodAt(period, at);
  if (end === undefined) return [0];
  const next = periodAt(period, end);
  return [periodAt(period, start - 1).start, start, end, next.end ?? end];
}
