import { basename } from "node:path";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../errors.ts";
import type { ReviewContext } from "../context.ts";
import { imageError, openImage } from "../images/open-image.ts";

/**
 * GET /api/image?path=…: a local or uploaded image. The image's type is detected from its bytes. `nosniff`,
 * which every response has, and a sandbox without permissions prevent XSS.
 */
export function imageRoute(app: FastifyInstance, { images }: ReviewContext): void {
  app.get<{ Querystring: { path?: string | string[] } }>("/api/image", async (request, reply) => {
    const { path } = request.query;
    if (typeof path !== "string" || path === "") throw new AppError("validation", "Missing path parameter");
    const file = await images.locate(path).catch((error: unknown) => {
      throw imageError(error);
    });
    // A path outside the allowed folders must not reveal whether the file exists.
    if (file === undefined) throw new AppError("not_found", "File not found");
    const { type, bytes } = await openImage(file);
    return reply
      .type(type)
      .header("content-security-policy", "default-src 'none'; sandbox")
      .header("content-disposition", `inline; filename*=UTF-8''${encodeURIComponent(basename(file))}`)
      .send(bytes);
  });
}
