/** Formats a duration: `850 ms`, `1.5 s`, `2 min 5 s`, `1 h 3 min`; `–` for undefined. */
export function duration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return "–";
  // An amount that would be rounded up to the next unit is formatted in that unit.
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.max(60, Math.floor(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${minutes} min ${seconds % 60} s`;
}

/** Formats an elapsed time; below one minute, in whole seconds. */
export function age(milliseconds: number): string {
  return milliseconds < 60_000 ? `${Math.max(0, Math.floor(milliseconds / 1000))} s` : duration(milliseconds);
}

/** Formats a count: `950`, `9.5k`, `950k`, `9.5M`; `–` for undefined. */
export function count(amount: number | undefined): string {
  if (amount === undefined) return "–";
  if (amount < 1_000) return String(amount);
  if (amount < 999_500) return `${short(amount / 1_000)}k`;
  return `${short(amount / 1_000_000)}M`;
}

function short(amount: number): string {
  return amount < 99.95 ? amount.toFixed(1) : amount.toFixed(0);
}

/** Formats US dollars, with more decimals for small amounts. */
export function dollars(cost: number | undefined): string {
  if (cost === undefined) return "–";
  if (cost === 0) return "$0";
  if (cost < 0.0001) return "<$0.0001";
  return cost < 1 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;
}

/** Formats a local time: `14:05:09` on the day of `now`, `2026-11-28 14:05` on other days. */
export function clock(moment: string | number, now: number): string {
  const date = new Date(moment);
  const time = date.toTimeString().slice(0, 8);
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time.slice(0, 5)}`;
}
