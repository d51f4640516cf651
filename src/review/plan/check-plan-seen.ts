import { AppError } from "../../errors.ts";
import type { PlanReview } from "./plan-review.ts";

/**
 * Holds a decision to the plan that the person had before them. A tab outlives its review where that was killed, and
 * the next one has the same address. Throws `another_plan`; who names no plan means the one under review.
 */
export function checkPlanSeen(seen: string | undefined, { planId }: PlanReview): void {
  if (seen === undefined || seen === planId) return;
  throw new AppError(
    "another_plan",
    "This tab is out of date: another plan is now open at this address. Reload to see it.",
  );
}
