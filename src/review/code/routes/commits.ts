import type { FastifyInstance } from "fastify";
import type { CommitList, RevisionList } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { parseQuery, revisionsQuery } from "../code-schemas.ts";

/** GET /api/commits: the commits under review, oldest first. GET /api/revisions: the revisions to compare with. */
export function commitRoutes(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/commits", async (): Promise<CommitList> => ({ commits: await diffs.commits() }));
  app.get("/api/revisions", async (request): Promise<RevisionList> => {
    const { text = "" } = parseQuery(revisionsQuery, request.query);
    return { revisions: await diffs.revisions(text) };
  });
}
