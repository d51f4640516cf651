/** The step of a chart. Days are those of UTC, as the proxy sums them. */
export type StepUnit = "minute" | "hour" | "day";

const two = (part: number) => String(part).padStart(2, "0");
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Formats a step in full, such as `Nov 3, 14:00`. */
export function formatStep(step: number, unit: StepUnit): string {
  const date = new Date(step);
  if (unit === "day") return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
  return `${MONTHS[date.getMonth()]} ${date.getDate()}, ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Formats the ticks of a time axis, in seconds since 1970: times of day, and the date where a day begins. */
export function formatTicks(ticks: readonly number[], unit: StepUnit): string[] {
  return ticks.map((tick) => {
    const date = new Date(tick * 1000);
    if (unit === "day") return formatStep(tick * 1000, unit);
    if (date.getHours() === 0 && date.getMinutes() === 0)
      return `${MONTHS[date.getMonth()]} ${date.getDate()}`;
    return `${two(date.getHours())}:${two(date.getMinutes())}`;
  });
}
