import { AppError } from "../../errors.ts";

/** The error for comments that the person began at the forge itself: posting would publish or discard them. */
export function pendingElsewhere(url: string, host: string): AppError {
  return new AppError("forge_pending", `You have comments at ${host} that are not submitted`, {
    hint: `Submit or discard them at ${url}, then post again. Nothing was posted.`,
  });
}
