import multipart from "@fastify/multipart";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../errors.ts";
import type { UploadAnswer } from "../api-types.ts";
import { MAX_IMAGE_BYTES } from "../images/open-image.ts";
import { storeUpload } from "../images/store-upload.ts";
import type { ReviewContext } from "../review-mode.ts";

/** POST /api/upload: one image in the multipart member `file`, kept under a name of ours. */
export function uploadRoute(app: FastifyInstance, { uploadFolder }: ReviewContext): void {
  app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { fileSize: MAX_IMAGE_BYTES, files: 1, fields: 8, parts: 9, fieldSize: 1_000 },
      throwFileSizeLimit: true,
    });
    scope.post("/api/upload", { bodyLimit: 2 * MAX_IMAGE_BYTES }, async (request): Promise<UploadAnswer> => {
      if (!request.isMultipart()) throw new AppError("validation", "No file provided");
      for await (const part of request.parts()) {
        if (part.type !== "file") continue;
        if (part.fieldname !== "file") {
          // What is not read would hold the parser up.
          part.file.resume();
          continue;
        }
        // Read whole before anything is written: an upload cut off or too large leaves no file.
        const bytes = await part.toBuffer();
        return { path: await storeUpload(uploadFolder, bytes), originalName: part.filename };
      }
      throw new AppError("validation", "No file provided");
    });
  });
}
