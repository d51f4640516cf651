import type { FastifyInstance } from "fastify";
import type { DiffRounds } from "../api-types.ts";
import type { CodeReview } from "../code/code-review.ts";
import { holdDiff } from "./hold-diff.ts";

/** GET /api/diff/rounds: what was sent about this branch before. */
export function diffRoundsRoute(app: FastifyInstance, { diffs, rounds }: CodeReview): void {
  app.get("/api/diff/rounds", async (_request, reply): Promise<DiffRounds> => {
    const { gitContext } = await holdDiff(reply, diffs.current());
    return { rounds: await rounds.read(gitContext.currentBranch) };
  });
}
