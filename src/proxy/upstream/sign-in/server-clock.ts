/** The time of a server, for signatures and assertions that it accepts for some minutes only. */
export interface ServerClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Takes over the time in a `Date` header. Returns whether it differs by more than a minute from the time so far. */
  correct(date: string | null | undefined): boolean;
  /** Returns whether the server's time differs from this machine's. */
  isCorrected(): boolean;
}

/** Shorter differences are the time that a response takes. */
const MIN_SKEW_MS = 60_000;

/** Creates a clock that shows this machine's time until a server has another one. */
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
