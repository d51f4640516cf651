import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { DiffState } from "../../api-types.ts";
import type { ReviewContext } from "../../context.ts";
import type { CodeReview } from "../code-review.ts";
import { diffJson } from "../diff-json.ts";
import { leaseDiff } from "./lease-diff.ts";

/** GET /api/diff: the diff under review with its complete patch. */
export function diffRoute(app: FastifyInstance, context: ReviewContext, { diffs }: CodeReview): void {
  const { origin, sharingEnabled } = context;
  app.get("/api/diff", async (_request, reply) => {
    const { snapshot, gitContext } = await leaseDiff(reply, diffs.current());
    const { gitRef, diffType } = snapshot.plan;
    const members = { gitRef, origin, diffType, gitContext, sharingEnabled } satisfies Omit<
      DiffState,
      "rawPatch"
    >;
    return reply.type("application/json; charset=utf-8").send(Readable.from(diffJson(snapshot, members)));
  });
}
