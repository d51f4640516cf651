import { AppError } from "../../errors.ts";
import type { LiveSession } from "./live-session.ts";

/**
 * Throws `conflict` if the page shows an earlier round than the newest one. `seen` is undefined if the client names no
 * round, and `live` in a one-shot review; both are accepted.
 */
export function checkRoundSeen(seen: number | undefined, live: Pick<LiveSession, "state"> | undefined): void {
  if (seen === undefined || live === undefined || seen >= live.state.round) return;
  throw new AppError(
    "conflict",
    `Round ${live.state.round} has arrived since you opened round ${seen}. Review it, then send again.`,
  );
}
