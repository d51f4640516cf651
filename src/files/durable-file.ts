import { randomBytes } from "node:crypto";
import { open, readFile, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, getErrorMessage, systemErrorCode } from "../errors.ts";
import { makePrivateFolder } from "./private-folder.ts";
import { syncFolder } from "./sync-folder.ts";

/**
 * Writes a file of the data directory atomically and durably: temporary file, fsync, rename, fsync of the folder. The
 * file has mode 0600, and folders that are created have 0700. Throws `storage`.
 */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await makePrivateFolder(dirname(path));
    await replaceFile(path, content, 0o600);
  } catch (cause) {
    throw storageFailure(dirname(path), cause);
  }
}

/** Returns the `storage` error for a folder of the data directory in which a file could not be written. */
export function storageFailure(folder: string, cause: unknown): AppError {
  return new AppError("storage", `Cannot store data in ${folder}: ${getReason(cause)}.`, { cause });
}

export interface ReplaceOptions {
  /** Whether the file gets exactly this mode, regardless of the umask. */
  readonly exactMode?: boolean | undefined;
  /** Whether the file must survive a power failure; default true. */
  readonly durable?: boolean | undefined;
}

/**
 * Writes a file atomically to an existing folder. The file gets the mode, less the umask unless `exactMode` is set,
 * even if it replaces another file. Removes the temporary file after a failure. Throws the system's error.
 * `write-file-atomic` is not used, because it does not sync the folder (docs/dependencies.md).
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  mode: number,
  { exactMode = false, durable = true }: ReplaceOptions = {},
): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      if (exactMode) await file.chmod(mode);
      await file.writeFile(content);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  if (durable) await syncFolder(dirname(path));
}

/** Returns a JSON file's value, or undefined if the file cannot be read or is not valid JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such folder",
  ENOSPC: "no space left on the device",
  EDQUOT: "disk quota exceeded",
  EFBIG: "the file is too large for the file system",
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOTDIR: "another file or folder has that name",
  EEXIST: "another file or folder has that name",
  EISDIR: "another file or folder has that name",
};

/**
 * Returns why a write failed, if possible without the name of the temporary file, which the system's message contains.
 */
export function getReason(error: unknown): string {
  return REASONS[systemErrorCode(error) ?? ""] ?? getErrorMessage(error);
}
