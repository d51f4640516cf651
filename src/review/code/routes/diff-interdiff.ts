import type { FastifyInstance } from "fastify";
import { AppError } from "../../../errors.ts";
import type { DiffInterdiff } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { interdiffQuery, parseQuery } from "../code-schemas.ts";
import { decompressDiff } from "../rounds/sent-diff.ts";
import type { SentDiffs } from "../rounds/sent-in-session.ts";
import { leaseDiff } from "./lease-diff.ts";

/** GET /api/diff/interdiff?round=N: the changes since feedback was sent in that round, by default the last one. */
export function diffInterdiffRoute(
  app: FastifyInstance,
  { diffs, rounds }: CodeReview,
  session: SentDiffs,
): void {
  app.get("/api/diff/interdiff", async (request, reply): Promise<DiffInterdiff> => {
    const { round } = parseQuery(interdiffQuery, request.query);
    const diff = await leaseDiff(reply, diffs.current());
    const found = session.find(round) ?? (await rounds.readSent(diff.gitContext.currentBranch, round));
    const sent = found && (await decompressDiff(found.compressed));
    if (!found || !sent) throw noSuchRound(round);
    const { compareWithSent } = await import("../rounds/interdiff.ts");
    return { round: found.round, diffId: diff.snapshot.diffId, ...(await compareWithSent(diff, sent)) };
  });
}

function noSuchRound(round: number | undefined): AppError {
  const which =
    round === undefined ? "last feedback on this branch" : `feedback on round ${round} of this branch`;
  return new AppError("not_found", `Cannot compare: no diff is stored with the ${which}`);
}
