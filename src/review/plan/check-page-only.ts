import { AppError } from "../../errors.ts";
import type { ApproveBody } from "../api-types.ts";
import type { PlanReview } from "./plan-review.ts";

/**
 * Throws `forbidden` if an edited plan does not come from the page: a program could have the person approve one plan
 * and the agent carry out another. An unchanged plan is accepted from anywhere.
 */
export function checkPageOnly({ plan }: ApproveBody, isFromPage: boolean, review: PlanReview): void {
  if (isFromPage || plan === undefined || plan === review.plan) return;
  throw new AppError(
    "forbidden",
    "plan: an edited plan is accepted from the review page only. Reload the page, or send the decision without it.",
  );
}
