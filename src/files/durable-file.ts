import { randomBytes } from "node:crypto";
import { open, readFile, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, messageOf, systemErrorCode } from "../errors.ts";
import { makePrivateFolder } from "./private-folder.ts";
import { syncFolder } from "./sync-folder.ts";

/**
 * Writes a file of the data directory so that it is there whole or not at all, also after a power cut:
 * temporary file, fsync, rename, fsync of the folder. Folders 0700, files 0600. Throws `storage`.
 */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await makePrivateFolder(dirname(path));
    await replaceFile(path, content, 0o600);
  } catch (cause) {
    throw storageFailure(dirname(path), cause);
  }
}

/** Returns the error for a folder of the data directory in which nothing can be written. */
export function storageFailure(folder: string, cause: unknown): AppError {
  return new AppError("storage", `Nothing can be stored in ${folder}: ${reasonOf(cause)}.`, { cause });
}

/**
 * The same for a file whose folder is there. A new file gets the mode; what is left of a failure is nothing. Throws the
 * system's error.
 */
export async function replaceFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A JSON file's value, or undefined where there is none or it cannot be understood. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
  EFBIG: "files may not become that large here",
  EROFS: "it is read-only",
  EACCES: "access is denied",
  EPERM: "access is denied",
  ENOTDIR: "something else is in its place",
  EEXIST: "something else is in its place",
  EISDIR: "something else is in its place",
};

/** Why nothing could be written, in words; the system's own name the temporary file, which says nothing to anybody. */
export function reasonOf(error: unknown): string {
  return REASONS[systemErrorCode(error) ?? ""] ?? messageOf(error);
}
