import type { FastifyInstance } from "fastify";
import type { DiffMechanical } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { diffQuery, parseQuery } from "../code-schemas.ts";
import { leaseQueriedDiff } from "./lease-diff.ts";

/** GET /api/diff/mechanical: the files of the diff that have only mechanical changes. */
export function diffMechanicalRoute(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/diff/mechanical", async (request, reply): Promise<DiffMechanical> => {
    const query = parseQuery(diffQuery, request.query);
    const { snapshot, sides } = await leaseQueriedDiff(reply, diffs, query);
    const { mechanicalIn } = await import("../mechanical/diff-mechanical.ts");
    return { diffId: snapshot.diffId, files: await mechanicalIn(snapshot, sides) };
  });
}
