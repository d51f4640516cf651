import multipart, { type MultipartFile } from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import type { UploadResponse } from "../api-types.ts";
import type { ReviewContext } from "../context.ts";
import { MAX_IMAGE_BYTES } from "../images/open-image.ts";
import { storeUpload } from "../images/store-upload.ts";

/** Limits of the multipart members, because a form can send others before and after the file. */
const MEMBERS = { files: 8, fields: 64, parts: 72 } as const;

/** POST /api/upload: stores one image, the multipart member `file`, under a random name. */
export function uploadRoute(app: FastifyInstance, { uploadFolder, uploadFallback }: ReviewContext): void {
  app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { fileSize: MAX_IMAGE_BYTES, ...MEMBERS, fieldSize: 1_000 },
    });
    // A body of any other type has no file; its syntax is not checked.
    scope.removeContentTypeParser(["application/json", "text/plain"]);
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    scope.post("/api/upload", async (request): Promise<UploadResponse> => {
      const file = request.isMultipart() ? await readUpload(request) : undefined;
      if (!file) throw new AppError("validation", "No file provided");
      return { path: await storeUpload(uploadFolder, file.bytes, uploadFallback), originalName: file.name };
    });
  });
}

/**
 * Returns the content and name of an uploaded file. Checks for truncation because the plugin detects it only while
 * chunks arrive: a limit that falls between two chunks would yield a partial file.
 */
async function readWhole(part: MultipartFile): Promise<{ bytes: Buffer; name: string }> {
  const bytes = await part.toBuffer();
  if (part.file.truncated) throw tooLarge();
  return { bytes, name: part.filename };
}

function tooLarge(cause?: unknown): AppError {
  return new AppError("too_large", "The image is larger than 20 MiB", { cause });
}

/**
 * Reads the member `file` completely before anything is written, so that an upload that is cut off or too large
 * leaves no file behind.
 */
async function readUpload(request: FastifyRequest): Promise<{ bytes: Buffer; name: string } | undefined> {
  try {
    for await (const part of request.parts()) {
      if (part.type !== "file") continue;
      if (part.fieldname === "file") return await readWhole(part);
      // A part that is not read would block the parser.
      part.file.resume();
    }
    return undefined;
  } catch (error) {
    if (systemErrorCode(error) === "FST_REQ_FILE_TOO_LARGE") throw tooLarge(error);
    if (error instanceof AppError) throw error;
    throw new AppError("validation", `Cannot read the upload: ${getErrorMessage(error)}`, {
      cause: error,
    });
  }
}
