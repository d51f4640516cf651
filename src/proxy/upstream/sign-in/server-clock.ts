/**
 * The time of a server. Signatures and assertions contain this time, and the server rejects them if the time differs
 * from its own by more than a few minutes.
 */
export interface ServerClock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Sets the clock to the time of a `Date` header, if the clock differs by a minute or more. Returns whether the clock
   * has changed.
   */
  correct(date: string | null | undefined): boolean;
  /** Returns whether `correct` has set a time that differs from this machine's. */
  isCorrected(): boolean;
}

/** Milliseconds below which a difference is ignored, because a response takes time to arrive. */
const MIN_SKEW_MS = 60_000;

/** Creates a clock with this machine's time, until `correct` sets another time. */
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
