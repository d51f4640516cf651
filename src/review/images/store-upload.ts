import { randomUUID } from "node:crypto";
import { chmod, lstat, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { reasonOf } from "../../files/durable-file.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { extensionOf, sniffImage } from "./sniff-image.ts";

/**
 * Keeps an uploaded image under a name of ours and resolves to its path. Folder 0700, file 0600; the file stays when
 * the review ends, as the feedback speaks of it. Throws `validation` for what is no image, `unreadable` when it
 * cannot be stored. `lastResort` is used where the folder, and the one beside it, belong to somebody else.
 */
export async function storeUpload(folder: string, bytes: Buffer, lastResort?: string): Promise<string> {
  const type = sniffImage(bytes);
  if (!type) throw new AppError("validation", "Unsupported image type: PNG, JPEG or WebP is wanted");
  try {
    const path = join(await ownFolder(folder, lastResort), `${randomUUID()}.${extensionOf[type]}`);
    await writeNew(path, bytes);
    return path;
  } catch (cause) {
    throw new AppError("unreadable", `The upload could not be stored in ${folder}: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** Whole or not at all: half an image keeps the last of a full disk from everybody. */
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
 * The folder, made if missing; beside it one with the user's number where somebody else was first, whatever they put
 * there.
 */
async function ownFolder(folder: string, lastResort: string | undefined): Promise<string> {
  const user = process.getuid?.();
  const last = lastResort === undefined ? [] : [lastResort];
  let failure: unknown;
  for (const candidate of [folder, `${folder}-${user ?? "own"}`, ...last]) {
    // A file or a link in its place fails too; what is there is looked at before anything is said.
    failure = await makeFolders(candidate, 0o700).catch((error: unknown) => error);
    const status = await lstat(candidate).catch(() => undefined);
    // Where nothing can be made there is nobody to go around: that the folder cannot be used is an error, as specified.
    if (!status) break;
    if (!status.isDirectory() || (user !== undefined && status.uid !== user)) continue;
    if (user !== undefined && (status.mode & 0o077) !== 0) await chmod(candidate, 0o700);
    return candidate;
  }
  throw failure instanceof Error ? failure : new Error("it belongs to another user");
}
