import { AppError } from "../../errors.ts";
import type { ReviewContext } from "../context.ts";

/**
 * Holds a decision to the diff that the person had before them. A tab outlives its review where that was killed, and
 * the next one has the same address. Throws `another_review`; who names none means the one that is asked.
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
