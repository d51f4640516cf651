/** A time range of a view, which ends now. */
export interface Range {
  readonly id: string;
  readonly label: string;
  readonly ms: number;
  /** The length of a step in the charts of this range. */
  readonly unit: "minute" | "hour" | "day";
  /** Milliseconds between two refreshes. */
  readonly refreshMs: number;
}

const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

export const RANGES: readonly [Range, ...Range[]] = [
  { id: "1h", label: "1 h", ms: UNIT_MS.hour, unit: "minute", refreshMs: 10_000 },
  { id: "24h", label: "24 h", ms: UNIT_MS.day, unit: "hour", refreshMs: 30_000 },
  { id: "7d", label: "7 d", ms: 7 * UNIT_MS.day, unit: "hour", refreshMs: 60_000 },
  { id: "30d", label: "30 d", ms: 30 * UNIT_MS.day, unit: "day", refreshMs: 60_000 },
];

const [, DAY = RANGES[0]] = RANGES;

/** Returns the range with this id, or the range of 24 hours if there is none. */
export function findRange(id: string | undefined): Range {
  return RANGES.find((range) => range.id === id) ?? DAY;
}

/**
 * Returns the beginnings of a range's steps up to `now`, oldest first, in milliseconds since 1970. Steps are whole
 * minutes, hours or days in UTC, so that the proxy can sum the ranges of hours and days from its rollups alone.
 */
export function listSteps({ ms, unit }: Range, now: number): number[] {
  const step = UNIT_MS[unit];
  const last = now - (now % step);
  const count = Math.round(ms / step);
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * step);
}

/** Returns the beginning of a range's first step, from which the range is read, in ISO 8601. */
export function getStart(range: Range, now: number): string {
  return new Date(listSteps(range, now)[0] ?? now).toISOString();
}
