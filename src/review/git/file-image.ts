import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { MAX_IMAGE_BYTES, type OpenedImage, openImage } from "../images/open-image.ts";
import { sniffImage } from "../images/sniff-image.ts";
import { isWithin } from "../is-within.ts";
import { findFile } from "./file-text.ts";
import { type GitHandle, tryGit } from "./run-git.ts";
import { isNullObject } from "./section-header.ts";
import type { GitSnapshot } from "./snapshot.ts";

/**
 * Returns one side of an image that a diff changes. Reads the new side from the working tree if git does not have its
 * object. Throws `not_found`, `too_large`, `unreadable`, or `validation` if the file is not an image.
 */
export async function readImageSide(
  git: GitHandle,
  snapshot: GitSnapshot,
  path: string,
  side: "old" | "new",
): Promise<OpenedImage> {
  const file = findFile(snapshot, path, side);
  const blob = side === "old" ? file?.oldBlob : file?.newBlob;
  if (!file || blob === undefined || isNullObject(blob)) throw new AppError("not_found", "File not found");
  const bytes = await readBlob(git, blob);
  if (bytes) return asImage(bytes);
  if (side === "old" || snapshot.plan.to.kind !== "worktree")
    throw new AppError("not_found", "File not found");
  const found = await realpath(join(git.directory, file.path)).catch(() => undefined);
  if (found === undefined || !isWithin(git.directory, found))
    throw new AppError("not_found", "File not found");
  return openImage(found);
}

/** Returns an image by its object name, or undefined. Throws `too_large` or `validation`. */
export async function readImageBlob(git: GitHandle, blob: string): Promise<OpenedImage | undefined> {
  const bytes = await readBlob(git, blob);
  return bytes && asImage(bytes);
}

async function readBlob(git: GitHandle, blob: string): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  const { exitCode } = await tryGit(git, ["cat-file", "blob", blob], {
    take(chunk) {
      size += chunk.length;
      if (size > MAX_IMAGE_BYTES) throw new AppError("too_large", "The image is larger than 20 MiB");
      pieces.push(chunk);
    },
  });
  return exitCode === 0 ? Buffer.concat(pieces) : undefined;
}

function asImage(bytes: Buffer): OpenedImage {
  const type = sniffImage(bytes);
  if (!type) throw new AppError("validation", "Unsupported image type");
  return { type, bytes };
}
