import type { FastifyInstance } from "fastify";
import type { NotebookDiff, NotebookFile } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { fileQuery, notebookImageQuery, notebookQuery, parseQuery } from "../code-schemas.ts";
import { leaseWholeDiff } from "./lease-diff.ts";

const load = () => import("../../notebook/read-notebook.ts");

/**
 * GET /api/diff/notebook: a changed notebook by cells. GET /api/notebook: the cells of one side. GET
 * /api/notebook/image: the image of an output, sandboxed so that no script in it can run.
 */
export function notebookRoutes(app: FastifyInstance, { diffs }: CodeReview): void {
  app.get("/api/diff/notebook", async (request, reply): Promise<NotebookDiff> => {
    const { path, ...query } = parseQuery(notebookQuery, request.query);
    const diff = await leaseWholeDiff(reply, diffs, query);
    const { readNotebookDiff } = await load();
    return readNotebookDiff(diff, path, { ignoreSpace: query.w === "1" });
  });
  app.get("/api/notebook", async (request, reply): Promise<NotebookFile> => {
    const { path, side, ...query } = parseQuery(fileQuery, request.query);
    const diff = await leaseWholeDiff(reply, diffs, query);
    const { readNotebook } = await load();
    const { language, cells } = await readNotebook(diff, path, side);
    return { path, side, language, cells: cells.map(withoutData) };
  });
  app.get("/api/notebook/image", async (request, reply) => {
    const { path, side, cell, output, ...query } = parseQuery(notebookImageQuery, request.query);
    const diff = await leaseWholeDiff(reply, diffs, query);
    const { readNotebookImage } = await load();
    const { type, bytes } = await readNotebookImage(diff, path, side, { cell, output });
    return reply.type(type).header("content-security-policy", "default-src 'none'; sandbox").send(bytes);
  });
}

/** Removes the members that only the server uses. */
function withoutData({
  language: _language,
  outputs,
  ...cell
}: Awaited<ReturnType<Awaited<ReturnType<typeof load>>["readNotebook"]>>["cells"][number]) {
  return { ...cell, outputs: outputs.map(({ data: _data, rest: _rest, ...output }) => output) };
}
