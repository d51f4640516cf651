import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { AppError, systemErrorCode } from "../../errors.ts";
import { getReadReason } from "../../files/read-reason.ts";
import { type ImageType, SNIFF_BYTES, sniffImage } from "./sniff-image.ts";

/** Maximum bytes of an image that is shown or stored. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

export interface OpenedImage {
  readonly type: ImageType;
  readonly bytes: Buffer;
}

/**
 * Reads an image from a path with resolved links. Except on Windows, opening the file does not block, and fails if a
 * link has replaced it. Throws `not_found`, `too_large`, `unreadable`, or `validation` if it is not an image file.
 */
export async function openImage(path: string | Buffer): Promise<OpenedImage> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  await expectFile(path);
  const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch((error: unknown) => {
    throw imageError(error);
  });
  try {
    return await readImage(file);
  } catch (error) {
    throw imageError(error);
  } finally {
    await file.close();
  }
}

/** Checks the file before it is opened, because opening alone triggers some devices. */
async function expectFile(path: string | Buffer): Promise<void> {
  const status = await lstat(path).catch((error: unknown) => {
    throw imageError(error);
  });
  if (!status.isFile() && !status.isSymbolicLink())
    throw new AppError("validation", "Unsupported image type");
}

async function readImage(file: FileHandle): Promise<OpenedImage> {
  const status = await file.stat();
  if (!status.isFile()) throw new AppError("validation", "Unsupported image type");
  if (status.size > MAX_IMAGE_BYTES) throw new AppError("too_large", "The image is larger than 20 MiB");
  const head = Buffer.alloc(SNIFF_BYTES);
  await file.read(head, 0, SNIFF_BYTES, 0);
  const type = sniffImage(head);
  if (!type) throw new AppError("validation", "Unsupported image type");
  const bytes = Buffer.alloc(status.size);
  const { bytesRead } = await file.read(bytes, 0, status.size, 0);
  return { type, bytes: bytes.subarray(0, bytesRead) };
}

const NOT_THERE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO", "ERR_INVALID_ARG_VALUE"]);

/** Returns the error to report for a file that cannot be read. */
export function imageError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = systemErrorCode(error) ?? "unknown reason";
  if (NOT_THERE.has(code)) return new AppError("not_found", "File not found", { cause: error });
  return new AppError("unreadable", `Cannot read the image: ${getReadReason(error)}`, { cause: error });
}
