import type { FastifyInstance } from "fastify";
import type { DiffMoves } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { diffQuery, parseQuery } from "../code-schemas.ts";
import { leaseQueriedDiff } from "./lease-diff.ts";

/** GET /api/diff/moves: the lines of the diff that were moved. */
export function diffMovesRoute(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/diff/moves", async (request, reply): Promise<DiffMoves> => {
    const query = parseQuery(diffQuery, request.query);
    const { snapshot } = await leaseQueriedDiff(reply, diffs, query);
    const { movesIn } = await import("../moves/diff-moves.ts");
    return { diffId: snapshot.diffId, moves: await movesIn(snapshot) };
  });
}
