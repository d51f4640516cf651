import type { FastifyInstance } from "fastify";
import type { DiffMechanical } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { movesQuery, parseQuery } from "../code-schemas.ts";
import { leaseDiff } from "./lease-diff.ts";

/** GET /api/diff/mechanical: the files of the diff that have only mechanical changes. */
export function diffMechanicalRoute(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/diff/mechanical", async (request, reply): Promise<DiffMechanical> => {
    const { id, w } = parseQuery(movesQuery, request.query);
    const { snapshot } = await leaseDiff(reply, diffs.current(w === "1"));
    if (id !== undefined && id !== snapshot.diffId) {
      return reply.code(409).send({ error: "The diff has been reloaded. Load its index again." });
    }
    const { mechanicalIn } = await import("../mechanical/diff-mechanical.ts");
    return { diffId: snapshot.diffId, files: await mechanicalIn(snapshot) };
  });
}
