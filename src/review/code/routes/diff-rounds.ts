import type { FastifyInstance } from "fastify";
import type { DiffRounds } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { indexQuery, parseQuery } from "../code-schemas.ts";
import { withoutLines } from "../rounds/round-store.ts";
import { sinceLastRound } from "../rounds/since-last-round.ts";
import { leaseDiff } from "./lease-diff.ts";

/** GET /api/diff/rounds: earlier feedback about this branch, and what has changed since. */
export function diffRoundsRoute(app: FastifyInstance, { diffs, rounds }: CodeReview): void {
  app.get("/api/diff/rounds", async (request, reply): Promise<DiffRounds> => {
    const { w } = parseQuery(indexQuery, request.query);
    const diff = await leaseDiff(reply, diffs.current(w === "1"));
    const sent = await rounds.read(diff.gitContext.currentBranch);
    const [first, ...later] = sent;
    return {
      rounds: sent.map((round) => ({ ...round, files: round.files.map(withoutLines) })),
      ...(first && { since: await sinceLastRound(diff, [first, ...later], diffs.paths) }),
    };
  });
}
