import { randomUUID } from "node:crypto";
import { chmod, lstat, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { getReason } from "../../files/durable-file.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { getTemporaryVariable } from "../../files/temporary-variable.ts";
import { imageExtensions, sniffImage } from "./sniff-image.ts";

/**
 * Stores an uploaded image under a random name and returns its path. The file is kept when the review ends, because the
 * feedback refers to it. `lastResort` is another folder, for the case that `folder` belongs to another user. Throws
 * `validation` if the upload is not an image, and `unreadable` if it cannot be stored.
 */
export async function storeUpload(folder: string, bytes: Buffer, lastResort?: string): Promise<string> {
  const type = sniffImage(bytes);
  if (!type) throw new AppError("validation", "Unsupported image type: use PNG, JPEG or WebP");
  try {
    const path = join(await ownFolder(folder, lastResort), `${randomUUID()}.${imageExtensions[type]}`);
    await writeNew(path, bytes);
    return path;
  } catch (cause) {
    const message = `Cannot store the upload in ${folder}: ${getReason(cause)}. Check its owner and free space, or set ${getTemporaryVariable()} to another folder.`;
    throw new AppError("unreadable", message, { cause });
  }
}

/** Writes a new file completely or not at all: a partial image would take up space on a full disk. */
async function writeNew(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
  } catch (error) {
    await unlink(path).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Returns the folder, creating it if necessary. If it is not a folder of the current user, tries the name with the
 * user's id appended, then `lastResort`.
 */
async function ownFolder(folder: string, lastResort: string | undefined): Promise<string> {
  const user = process.getuid?.();
  const last = lastResort === undefined ? [] : [lastResort];
  let failure: unknown;
  for (const candidate of [folder, `${folder}-${user ?? "own"}`, ...last]) {
    // An existing file or link also makes this fail, so the error is only reported after the check below.
    failure = await makeFolders(candidate, 0o700).catch((error: unknown) => error);
    const status = await lstat(candidate).catch(() => undefined);
    // Nothing could be created, so no other user has taken the name; the specification requires an error here.
    if (!status) break;
    if (!status.isDirectory() || (user !== undefined && status.uid !== user)) continue;
    if (user !== undefined && (status.mode & 0o077) !== 0) await chmod(candidate, 0o700);
    return candidate;
  }
  throw failure instanceof Error ? failure : new Error("it belongs to another user");
}
