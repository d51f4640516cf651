import type { FastifyInstance } from "fastify";
import type { DiffMoves } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { movesQuery, parseQuery } from "../code-schemas.ts";
import { leaseDiff } from "./lease-diff.ts";

/** GET /api/diff/moves: the lines of the diff that were moved. */
export function diffMovesRoute(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/diff/moves", async (request, reply): Promise<DiffMoves> => {
    const { id, w } = parseQuery(movesQuery, request.query);
    const { snapshot } = await leaseDiff(reply, diffs.current(w === "1"));
    if (id !== undefined && id !== snapshot.diffId) {
      return reply.code(409).send({ error: "The diff has been reloaded. Load its index again." });
    }
    const { movesIn } = await import("../moves/diff-moves.ts");
    return { diffId: snapshot.diffId, moves: await movesIn(snapshot) };
  });
}
