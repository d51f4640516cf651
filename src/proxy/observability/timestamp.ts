let second = -1;
let prefix = "";

/** The present moment as ISO 8601. Every call asks, many in one second, so that all but the milliseconds is kept. */
export function timestamp(now: number = Date.now()): string {
  const asked = Math.floor(now / 1000);
  if (asked !== second) {
    second = asked;
    prefix = new Date(asked * 1000).toISOString().slice(0, -4);
  }
  return `${prefix}${String(now - asked * 1000).padStart(3, "0")}Z`;
}
