import { AppError } from "../../errors.ts";
import type { PlanReview } from "./plan-review.ts";

/**
 * Throws `another_plan` if a decision names another plan than this one. A tab can outlive a review that was killed,
 * and a later review can have the same address. A decision without an id is accepted.
 */
export function checkPlanSeen(seen: string | undefined, { planId }: PlanReview): void {
  if (seen === undefined || seen === planId) return;
  throw new AppError(
    "another_plan",
    "This tab is out of date: another plan is now open at this address. Reload to see it.",
  );
}
