let second = -1;
let prefix = "";

/**
 * Returns the current time as ISO 8601. Every call needs it, many within a second, so everything but the milliseconds
 * is cached. Bench: `bench/proxy/cost.mjs`.
 */
export function timestamp(now: number = Date.now()): string {
  const asked = Math.floor(now / 1000);
  if (asked !== second) {
    second = asked;
    prefix = new Date(asked * 1000).toISOString().slice(0, -4);
  }
  return `${prefix}${String(now - asked * 1000).padStart(3, "0")}Z`;
}
