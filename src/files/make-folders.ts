import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../errors.ts";

/**
 * Creates a folder and its missing parents. Resolves to the outermost folder created; undefined if the folder existed.
 * Throws the system's error. Used instead of recursive `mkdir`, which loops forever below /proc and reports ENOENT on a
 * read-only disk.
 */
export async function makeFolders(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeFolder(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (systemErrorCode(error) !== "ENOENT" || above === path) throw error;
    // Another process may have created the parent since; creating the folder again is harmless.
    const first = await makeFolders(above, mode);
    const made = await makeFolder(path, mode);
    return first ?? made;
  }
}

async function makeFolder(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if (await isFolder(path)) return undefined;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
