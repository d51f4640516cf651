import type { FastifyInstance, FastifyReply } from "fastify";
import { AppError } from "../../../errors.ts";
import type { DiffReferences, DiffSymbols } from "../../api-types.ts";
import type { DiffLease } from "../../diff-session.ts";
import type { CodeReview } from "../code-review.ts";
import { parseQuery, referencesQuery } from "../code-schemas.ts";
import type { SymbolIndex } from "../symbols/diff-symbols.ts";
import { leaseDiff } from "./lease-diff.ts";

/**
 * GET /api/diff/symbols: the functions and types that the diff changes. GET /api/diff/references: where a name is in the
 * changed files. Returns a function that ends the thread that parses them.
 */
export function diffSymbolsRoutes(app: FastifyInstance, { diffs, symbolFiles }: CodeReview): () => void {
  let opening: Promise<SymbolIndex> | undefined;
  const open = () => {
    if (!symbolFiles) throw new AppError("not_found", "Symbols are not available in this review");
    opening ??= import("../symbols/diff-symbols.ts").then(({ createSymbolIndex }) =>
      createSymbolIndex(symbolFiles),
    );
    return opening;
  };
  const lease = (reply: FastifyReply, w: string | undefined): Promise<DiffLease> =>
    leaseDiff(reply, diffs.current(w === "1"));
  const reloaded = (reply: FastifyReply) =>
    reply.code(409).send({ error: "The diff has been reloaded. Load its index again." });

  app.get("/api/diff/symbols", async (request, reply): Promise<DiffSymbols> => {
    const { id, w } = parseQuery(referencesQuery, request.query);
    const diff = await lease(reply, w);
    if (id !== undefined && id !== diff.snapshot.diffId) return reloaded(reply);
    const changed = await (await open()).changedIn(diff);
    return {
      diffId: diff.snapshot.diffId,
      files: [...changed].map(([path, symbols]) => ({ path, symbols })),
    };
  });

  app.get("/api/diff/references", async (request, reply): Promise<DiffReferences> => {
    const { id, w, name = "" } = parseQuery(referencesQuery, request.query);
    if (name === "") throw new AppError("validation", "name: expected the name to find");
    const diff = await lease(reply, w);
    if (id !== undefined && id !== diff.snapshot.diffId) return reloaded(reply);
    const found = await (await open()).find(diff, name);
    return { diffId: diff.snapshot.diffId, name, ...found };
  });

  return () => void opening?.then((index) => index.close()).catch(() => {});
}
