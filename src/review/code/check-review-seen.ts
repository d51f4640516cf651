import { AppError } from "../../errors.ts";
import type { ReviewContext } from "../context.ts";

/**
 * Throws `another_review` if a decision names another review than this one. A tab can outlive a review that was
 * killed, and the next review has the same address. A decision without an id is accepted.
 */
export function checkReviewSeen(
  seen: string | undefined,
  { sessionId }: Pick<ReviewContext, "sessionId">,
): void {
  if (seen === undefined || seen === sessionId) return;
  throw new AppError(
    "another_review",
    "This tab is out of date: another review is now open at this address. Reload to see it; your comments are kept.",
  );
}
