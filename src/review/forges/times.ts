/** Returns a time in UTC as ISO 8601; the epoch if it is missing or invalid. */
export function toUtc(time: string | undefined): string {
  const date = new Date(time ?? 0);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
