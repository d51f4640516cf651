/**
 * The generic cell rate algorithm (ITU-T I.371) as a meter: a bucket of N units that drains N units a minute. Integers
 * only, so that a burst of exactly N fits: a level counts units times 60,000,000 and drains N a microsecond.
 */
export const UNIT = 60_000_000;

/** How full a bucket was at a time, in microseconds. */
export interface Level {
  readonly level: number;
  readonly at: number;
}

export const EMPTY: Level = { level: 0, at: 0 };

/** Returns the level at `now`. A clock that was set back drains nothing. */
export function drained({ level, at }: Level, limit: number, now: number): number {
  return now <= at ? level : Math.max(0, level - limit * (now - at));
}

/** Returns the milliseconds until `units` more fit, 0 if they fit now. They must not be more than the limit. */
export function waitFor(level: number, limit: number, units: number): number {
  return Math.max(0, Math.ceil((level + units * UNIT - limit * UNIT) / limit / 1000));
}

/** Returns how many whole units are left. */
export function remainingOf(level: number, limit: number): number {
  return Math.max(0, Math.floor(limit - level / UNIT));
}

/** Returns the milliseconds until the bucket is empty. */
export function resetOf(level: number, limit: number): number {
  return Math.max(0, Math.ceil(level / limit / 1000));
}
