/**
 * Formats hours and minutes: "14:05". Returns an empty string for an invalid date. The browser's formatter would be
 * slow on its first call.
 */
export function clockTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const [hours, minutes] = [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, "0"));
  return `${hours}:${minutes}`;
}
