/** The time of a server, for signatures and assertions that it accepts for a few minutes only. */
export interface ServerClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Sets the clock by a `Date` header. Returns whether this has changed it by a minute or more. */
  correct(date: string | null | undefined): boolean;
  /** Returns whether the server's time differs from this machine's. */
  isCorrected(): boolean;
}

/** Shorter differences are the time that a response takes. */
const MIN_SKEW_MS = 60_000;

/** Creates a clock with this machine's time, until `correct` sets another one. */
export function createServerClock(): ServerClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    isCorrected: () => offset !== 0,
    correct(date) {
      const found = Date.parse(date ?? "") - Date.now();
      if (Number.isNaN(found) || Math.abs(found - offset) < MIN_SKEW_MS) return false;
      offset = found;
      return true;
    },
  };
}
