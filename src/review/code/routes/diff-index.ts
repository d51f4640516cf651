import type { FastifyInstance } from "fastify";
import type { DiffFile, DiffIndex } from "../../api-types.ts";
import type { ReviewContext } from "../../context.ts";
import type { SnapshotFile } from "../../git/snapshot.ts";
import type { CodeReview } from "../code-review.ts";
import { indexQuery, parseQuery } from "../code-schemas.ts";
import { openingPatches } from "../first-paint/shown-files.ts";
import { leaseDiff } from "./lease-diff.ts";

/** GET /api/diff/index: every file of the diff with its counts, and the patches of the first files. */
export function diffIndexRoute(app: FastifyInstance, context: ReviewContext, review: CodeReview): void {
  const { origin, sharingEnabled, sessionId, caller, mode, threads } = context;
  const { diffs, editorLink } = review;
  app.get("/api/diff/index", async (request, reply): Promise<DiffIndex> => {
    const { w } = parseQuery(indexQuery, request.query);
    // Read before the diff, so that the response never names a round that begins with the next diff.
    const round = threads.live?.state.round;
    const [{ snapshot, gitContext, commit }, settings] = await Promise.all([
      leaseDiff(reply, diffs.current(w === "1")),
      context.settings.read(),
    ]);
    const { gitRef, diffType } = snapshot.plan;
    const {
      source,
      paths,
      repository: { name, root },
    } = diffs;
    return {
      gitRef,
      origin,
      diffType,
      source,
      gitContext,
      sharingEnabled,
      diffId: snapshot.diffId,
      sessionId,
      reviewId: mode.draftKey(),
      caller,
      repository: { name, root },
      ...(paths.length === 0 ? {} : { paths }),
      editorLink,
      ...(commit ? { commit } : {}),
      files: snapshot.files.map(withoutPosition),
      ...(snapshot.omitted ? { omitted: snapshot.omitted } : {}),
      opening: await openingPatches(snapshot),
      settings,
      ...(context.ask ? { ask: { model: context.ask.model } } : {}),
      ...(threads.live && round !== undefined ? { live: { ...threads.live.state, round } } : {}),
    };
  });
}

/** Removes the members that only the server uses. */
function withoutPosition({
  section: _section,
  oldBlob: _old,
  newBlob: _new,
  ...file
}: SnapshotFile): DiffFile {
  return file;
}
