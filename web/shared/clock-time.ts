/**
 * Formats hours and minutes: "14:05". Returns an empty string for an invalid date. Does not use the browser's
 * formatter, whose first call takes 20 ms and delays typing.
 */
export function clockTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const [hours, minutes] = [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0"));
  return `${hours}:${minutes}`;
}
