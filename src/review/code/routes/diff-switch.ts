import { Readable } from "node:stream";
import type { FastifyError, FastifyInstance } from "fastify";
import { AppError } from "../../../errors.ts";
import type { DiffSwitchResponse } from "../../api-types.ts";
import { ONE_PLAIN_ISSUE } from "../../body-schemas.ts";
import type { ReviewContext } from "../../context.ts";
import { switchWithThreads } from "../code-anchors.ts";
import type { CodeReview } from "../code-review.ts";
import { diffSwitchBody } from "../code-schemas.ts";
import { diffJson } from "../diff-json.ts";
import { leaseDiff } from "./lease-diff.ts";

/**
 * POST /api/diff/switch: switches to another diff, or reloads the current one. If the new diff cannot be created, the
 * current diff stays.
 */
export function diffSwitchRoute(
  app: FastifyInstance,
  { threads }: ReviewContext,
  { diffs }: CodeReview,
): void {
  app.post("/api/diff/switch", { errorHandler: nameWhatIsMissing }, async (request, reply) => {
    const body = diffSwitchBody.safeParse(request.body, ONE_PLAIN_ISSUE);
    if (!body.success) throw new AppError("validation", body.error.issues[0]?.message ?? "Missing diffType");
    const { diffType, patch = true } = body.data;
    const { snapshot } = await leaseDiff(reply, switchWithThreads(diffs, diffType, threads));
    const { gitRef } = snapshot.plan;
    if (!patch) return { rawPatch: "", gitRef, diffType } satisfies DiffSwitchResponse;
    return reply
      .type("application/json; charset=utf-8")
      .send(Readable.from(diffJson(snapshot, { gitRef, diffType })));
  });
}

/** Reports an empty body as a missing diff type; Fastify rejects it before the route handler runs. */
function nameWhatIsMissing(error: FastifyError): never {
  throw error.code === "FST_ERR_CTP_EMPTY_JSON_BODY" ? new AppError("validation", "Missing diffType") : error;
}
