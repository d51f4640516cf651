import type { FastifyInstance } from "fastify";
import type { DiffSizes } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { diffQuery, parseQuery } from "../code-schemas.ts";
import { leaseQueriedDiff } from "./lease-diff.ts";

/** GET /api/diff/sizes: the sizes of the binary files of the diff. */
export function diffSizesRoute(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/diff/sizes", async (request, reply): Promise<DiffSizes> => {
    const query = parseQuery(diffQuery, request.query);
    const { snapshot, sides } = await leaseQueriedDiff(reply, diffs, query);
    return { diffId: snapshot.diffId, files: (await sides.sizes?.()) ?? [] };
  });
}
