import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { readFiles } from "../../git/file-text.ts";
import type { CodeReview } from "../code-review.ts";
import { parseNumbers, parseQuery, patchQuery } from "../code-schemas.ts";
import { leaseQueriedDiff } from "./lease-diff.ts";

/** GET /api/diff/patch?n=0-49: the patches of these files as bytes, concatenated. */
export function diffPatchRoute(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/diff/patch", async (request, reply) => {
    const { n, ...query } = parseQuery(patchQuery, request.query);
    const { snapshot } = await leaseQueriedDiff(reply, diffs, query);
    const files = parseNumbers(n, snapshot.files.length).flatMap((number) => snapshot.files[number] ?? []);
    const length = files.reduce((sum, { patchSize }) => sum + patchSize, 0);
    return reply
      .type("text/plain; charset=utf-8")
      .header("content-length", length)
      .send(Readable.from(readFiles(snapshot, files)));
  });
}
