/** This many worker exits within `WITHIN_MS` mean that restarting does not help. */
const MOST = 5;
const WITHIN_MS = 10_000;

/**
 * Returns a function that records a worker's exit, at a time in milliseconds, and reports whether there were too
 * many.
 */
export function createCrashWatch(): (now: number) => boolean {
  let recent: number[] = [];
  return (now) => {
    recent = [...recent, now].filter((at) => now - at < WITHIN_MS);
    return recent.length >= MOST;
  };
}
