import type { Budget } from "../../config/proxy/limits.ts";
import { AppError } from "../../errors.ts";
import { periodAt } from "./budget-periods.ts";
import { type Excess, type Reservation, toUsd } from "./limits.ts";

/** Returns the error of a call that does not fit into a limit. `now` is milliseconds since 1970. */
export function createLimitError(excess: Excess, reservation: Reservation, now: number): AppError {
  const { limit, retryMs, neverFits } = excess;
  const subject = reservation.subjects[excess.subject];
  const label = subject?.label ?? "the key";
  const { rpm, tpm, concurrency, budgets = [] } = subject?.limits ?? {};
  const seconds = Math.max(1, Math.ceil(retryMs / 1000));
  if (limit === "budget")
    return budgetRefusal(label, budgets[excess.budget], reservation.micros, excess, now);
  const options = { retryAfterSeconds: seconds, isFinal: neverFits };
  const never = `This request needs ${formatCount(reservation.calls, "call")}, so it can never fit. Request fewer candidates or images.`;
  if (limit === "concurrency")
    return new AppError(
      "rate_limited",
      `Concurrency limit reached: ${label} may have ${formatCount(concurrency, "call")} in flight. ${neverFits ? never : "Retry when one has ended."}`,
      options,
    );
  if (limit === "rpm")
    return new AppError(
      "rate_limited",
      `Rate limit reached: ${label} may make ${formatCount(rpm, "request")} per minute. ${neverFits ? never : `Retry in ${seconds} s.`}`,
      options,
    );
  const limited = `${label} may use ${formatCount(tpm, "token")} per minute, and this call reserves ${reservation.tokens}`;
  const advice = neverFits
    ? "It can never fit. Lower the maximum of output tokens or shorten the input."
    : `Retry in ${seconds} s.`;
  return new AppError("rate_limited", `Token limit reached: ${limited}. ${advice}`, options);
}

const SPANS = { day: "per day", week: "per week", month: "per month", total: "in total" } as const;

function budgetRefusal(
  label: string,
  { usd, period }: Budget = { usd: 0, period: "total" },
  micros: number,
  { neverFits }: Excess,
  now: number,
): AppError {
  const { end } = periodAt(period, now);
  const reset =
    end === undefined
      ? "It does not reset."
      : `It resets on ${new Date(end).toISOString().slice(0, 10)} at 00:00 UTC.`;
  const never = `This call may cost $${toUsd(micros)}, so it can never fit. Lower the maximum of output tokens or raise the budget.`;
  return new AppError(
    "budget_exceeded",
    `Budget exceeded: ${label} may spend $${usd} ${SPANS[period]}. ${neverFits ? `${never} ` : ""}${reset}`,
  );
}

function formatCount(count: number | undefined, unit: string): string {
  return `${count ?? 0} ${unit}${count === 1 ? "" : "s"}`;
}
