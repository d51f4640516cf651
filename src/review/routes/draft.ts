import type { FastifyInstance } from "fastify";
import { draftBody, parseBody } from "../body-schemas.ts";
import type { ReviewContext } from "../context.ts";

/**
 * GET and PUT /api/draft: what is typed but not sent. Every PUT carries a higher generation than the one before;
 * where another page has come that far already it is 409 with the draft that is stored. A tab that was left over from
 * an earlier review at this address names its plan or its code review, so that its words go to that and not to this one.
 */
export function draftRoutes(app: FastifyInstance, { drafts, mode }: ReviewContext): void {
  app.get("/api/draft", () => drafts.read(mode.draftKey()));

  app.put("/api/draft", async (request, reply) => {
    const { generation, content, planId, reviewId } = parseBody(draftBody, request.body);
    const key = planId ?? reviewId ?? mode.draftKey();
    const { accepted, draft } = await drafts.write(key, generation, content ?? null);
    return reply
      .code(accepted ? 200 : 409)
      .send(accepted ? { generation: draft.generation, savedAt: draft.savedAt } : draft);
  });
}
