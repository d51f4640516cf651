const MILLISECONDS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a time span such as `30d` or `24h` to milliseconds; undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * MILLISECONDS[match[2] as keyof typeof MILLISECONDS];
}
