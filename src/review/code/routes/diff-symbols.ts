import type { FastifyInstance } from "fastify";
import { AppError } from "../../../errors.ts";
import type { DiffReferences, DiffSymbols } from "../../api-types.ts";
import type { CodeReview } from "../code-review.ts";
import { diffQuery, parseQuery, referencesQuery } from "../code-schemas.ts";
import type { SymbolIndex } from "../symbols/diff-symbols.ts";
import { leaseQueriedDiff } from "./lease-diff.ts";

/**
 * GET /api/diff/symbols: the symbols that the diff changes, except variables. GET /api/diff/references: the lines of
 * the changed files that contain a name. Returns a function that ends the thread that parses the files.
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

  app.get("/api/diff/symbols", async (request, reply): Promise<DiffSymbols> => {
    const diff = await leaseQueriedDiff(reply, diffs, parseQuery(diffQuery, request.query));
    const changed = await (await open()).changedIn(diff);
    return {
      diffId: diff.snapshot.diffId,
      files: [...changed].map(([path, symbols]) => ({ path, symbols })),
    };
  });

  app.get("/api/diff/references", async (request, reply): Promise<DiffReferences> => {
    const { name = "", ...query } = parseQuery(referencesQuery, request.query);
    if (name === "")
      throw new AppError("validation", "name: expected the name of a symbol, got an empty string");
    const diff = await leaseQueriedDiff(reply, diffs, query);
    const found = await (await open()).find(diff, name);
    return { diffId: diff.snapshot.diffId, name, ...found };
  });

  return () => void opening?.then((index) => index.close()).catch(() => {});
}
