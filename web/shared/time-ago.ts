const UNITS = [
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
] as const;

const UNIT_NAMES = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Formats a past time (ISO 8601): "just now", "4 minutes ago", "yesterday"; a date after a week. */
export function timeAgo(instant: string, now = Date.now()): string {
  const then = new Date(instant);
  const seconds = (now - then.getTime()) / 1000;
  if (seconds >= 7 * 86_400 || Number.isNaN(seconds))
    return then.toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
  const unit = UNITS.find((each) => seconds >= each.seconds);
  return unit ? UNIT_NAMES.format(-Math.floor(seconds / unit.seconds), unit.unit) : "just now";
}
