import type { FastifyInstance } from "fastify";
import type { FileText } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { fileQuery, parseQuery } from "../code-schemas.ts";
import { leaseWholeDiff } from "./lease-diff.ts";

/** GET /api/file: the complete text of one side of a file as the diff has it. */
export function fileRoute(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/file", async (request, reply): Promise<FileText> => {
    const { path, side, ...query } = parseQuery(fileQuery, request.query);
    const { sides } = await leaseWholeDiff(reply, diffs, query);
    const text = await sides.read(path, side);
    return { path, side, text: text.toString() };
  });
}
