import type { FastifyInstance } from "fastify";
import { draftBody, parseBody } from "../body-schemas.ts";
import type { ReviewContext } from "../context.ts";

/**
 * GET and PUT /api/draft: text that is typed but not sent. If `DraftStore.write` does not accept a PUT, the response is
 * 409 with the stored draft; otherwise, all pages receive a `draft` event. A tab left over from an earlier review at
 * this address names its plan or code review, so that its text is stored with that review.
 */
export function draftRoutes(app: FastifyInstance, { drafts, events, mode }: ReviewContext): void {
  app.get("/api/draft", () => drafts.read(mode.draftKey()));

  app.put("/api/draft", async (request, reply) => {
    const { generation, content, planId, reviewId } = parseBody(draftBody, request.body);
    const key = planId ?? reviewId ?? mode.draftKey();
    const { accepted, draft } = await drafts.write(key, generation, content ?? null);
    if (accepted) events.send({ event: "draft", key, generation: draft.generation });
    return reply
      .code(accepted ? 200 : 409)
      .send(accepted ? { generation: draft.generation, savedAt: draft.savedAt } : draft);
  });
}
