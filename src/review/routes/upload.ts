import multipart, { type MultipartFile } from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError, messageOf, systemErrorCode } from "../../errors.ts";
import type { UploadAnswer } from "../api-types.ts";
import type { ReviewContext } from "../context.ts";
import { MAX_IMAGE_BYTES } from "../images/open-image.ts";
import { storeUpload } from "../images/store-upload.ts";

/** What may stand beside the file, in whatever order: a form sends all it has. */
const MEMBERS = { files: 8, fields: 64, parts: 72 } as const;

/** POST /api/upload: one image in the multipart member `file`, kept under a name of ours. */
export function uploadRoute(app: FastifyInstance, { uploadFolder, uploadFallback }: ReviewContext): void {
  app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { fileSize: MAX_IMAGE_BYTES, ...MEMBERS, fieldSize: 1_000 },
    });
    // Whatever else comes, in whatever form, is no file; what is wrong with its form does not matter.
    scope.removeContentTypeParser(["application/json", "text/plain"]);
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    scope.post("/api/upload", async (request): Promise<UploadAnswer> => {
      const file = request.isMultipart() ? await fileOf(request) : undefined;
      if (!file) throw new AppError("validation", "No file provided");
      return { path: await storeUpload(uploadFolder, file.bytes, uploadFallback), originalName: file.name };
    });
  });
}

/**
 * A file and the name it came with. The plugin itself notices one that is cut off at the limit only while pieces come;
 * where the limit falls between two of them it would hand out what it has.
 */
async function wholeOf(part: MultipartFile): Promise<{ bytes: Buffer; name: string }> {
  const bytes = await part.toBuffer();
  if (part.file.truncated) throw tooLarge();
  return { bytes, name: part.filename };
}

function tooLarge(cause?: unknown): AppError {
  return new AppError("too_large", "The image is larger than 20 MB", { cause });
}

/** The member `file`, read whole before anything is written: an upload cut off or too large leaves nothing behind. */
async function fileOf(request: FastifyRequest): Promise<{ bytes: Buffer; name: string } | undefined> {
  try {
    for await (const part of request.parts()) {
      if (part.type !== "file") continue;
      if (part.fieldname === "file") return await wholeOf(part);
      // What is not read would hold the parser up.
      part.file.resume();
    }
    return undefined;
  } catch (error) {
    if (systemErrorCode(error) === "FST_REQ_FILE_TOO_LARGE") throw tooLarge(error);
    if (error instanceof AppError) throw error;
    throw new AppError("validation", `The upload cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
