import { basename } from "node:path";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../errors.ts";
import type { ReviewContext } from "../context.ts";
import { imageError, openImage } from "../images/open-image.ts";

/**
 * GET /api/image?path=…: a local image or an uploaded one. The type comes from the bytes, and nothing in them can
 * run: `nosniff` (on every answer) and a sandbox without rights.
 */
export function imageRoute(app: FastifyInstance, { images }: ReviewContext): void {
  app.get<{ Querystring: { path?: string | string[] } }>("/api/image", async (request, reply) => {
    const { path } = request.query;
    if (typeof path !== "string" || path === "") throw new AppError("validation", "Missing path parameter");
    const file = await images.locate(path).catch((error: unknown) => {
      throw imageError(error);
    });
    // Outside what may be shown, whether there is something shall not be told either.
    if (file === undefined) throw new AppError("not_found", "File not found");
    const { type, bytes } = await openImage(file);
    return reply
      .type(type)
      .header("content-security-policy", "default-src 'none'; sandbox")
      .header("content-disposition", `inline; filename*=UTF-8''${encodeURIComponent(basename(file))}`)
      .send(bytes);
  });
}
