import type { FastifyInstance } from "fastify";
import type { CodeReview } from "../code-review.ts";
import { fileQuery, parseQuery } from "../code-schemas.ts";
import { leaseWholeDiff } from "./lease-diff.ts";

/**
 * GET /api/diff/image?path=…&side=old|new: an image before or after the change, sandboxed so that no script in it can
 * run.
 */
export function diffImageRoute(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/diff/image", async (request, reply) => {
    const { path, side, ...query } = parseQuery(fileQuery, request.query);
    const { sides } = await leaseWholeDiff(reply, diffs, query);
    const { type, bytes } = await sides.image(path, side);
    return reply.type(type).header("content-security-policy", "default-src 'none'; sandbox").send(bytes);
  });
}
