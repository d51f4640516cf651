const MILLISECONDS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Matches a time span such as `30d` or `24h`. */
export const TIME_SPAN = /^(\d{1,6})([smhd])$/;

/** Parses a time span such as `30d` or `24h` to milliseconds; undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const match = TIME_SPAN.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * MILLISECONDS[match[2] as keyof typeof MILLISECONDS];
}
