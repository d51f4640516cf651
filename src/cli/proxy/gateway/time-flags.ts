import { AppError } from "../../../errors.ts";
import { parseSpan } from "../../../proxy/gateway/time-span.ts";

/** The meaning of a time span in a flag, such as the time before now. */
interface SpanMeaning {
  /** Converts a time span in milliseconds to a time in milliseconds since 1970. */
  readonly toTime: (ms: number) => number;
  /** An example of a time span, for the error message. */
  readonly example: string;
}

/** Parses the value of a flag, a date or a time span. Returns milliseconds since 1970. Throws `usage`. */
export function parseTimeFlag(flag: string, text: string, { toTime, example }: SpanMeaning): number {
  const span = parseSpan(text);
  if (span !== undefined) return toTime(span);
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new AppError("usage", `${flag} ${text} is neither a time span such as ${example} nor a date`);
  return time;
}
