import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { parseBody } from "../../body-schemas.ts";
import type { ReviewContext } from "../../context.ts";
import { expectPage } from "../../live/caller-kind.ts";
import type { PostBody, PostResponse, PreviewBody, PullPreview, PullState } from "../../pr-api-types.ts";
import type { PullReview } from "../pull-review.ts";

/** Body of `POST /api/pr/preview`. */
const previewBody = z.object({
  verdict: z.enum(["approve", "comment", "request_changes"]),
  body: z.string().max(65_536).exactOptional(),
  without: z.array(z.string()).exactOptional(),
}) satisfies z.ZodType<PreviewBody>;

/** Body of `POST /api/pr/post`. */
const postBody = z.object({ preview: z.string() }) satisfies z.ZodType<PostBody>;

/** GET /api/pr, POST /api/pr/preview and /api/pr/post. Only the person's page can preview and post. */
export function pullRoutes(app: FastifyInstance, { threads }: ReviewContext, review: PullReview): void {
  app.get("/api/pr", async (): Promise<PullState> => review.describe());

  app.post("/api/pr/preview", async (request): Promise<PullPreview> => {
    expectPage(request, threads.token);
    return review.preview(parseBody(previewBody, request.body ?? null));
  });

  app.post("/api/pr/post", async (request): Promise<PostResponse> => {
    expectPage(request, threads.token);
    return review.post(parseBody(postBody, request.body ?? null).preview);
  });
}
