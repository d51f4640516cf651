/** So many ends within this time are no accident any more. */
const MOST = 5;
const WITHIN_MS = 10_000;

/** Tells of each end, at a moment in milliseconds, whether it is one too many to go on. */
export function createCrashWatch(): (now: number) => boolean {
  let recent: number[] = [];
  return (now) => {
    recent = [...recent, now].filter((at) => now - at < WITHIN_MS);
    return recent.length >= MOST;
  };
}
