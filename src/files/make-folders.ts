import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemErrorCode } from "../errors.ts";

/**
 * Makes a folder and those above it that are missing, and resolves to the outermost one made, undefined where all were
 * there. Throws the system's error. As `mkdir` with `recursive`, which tries again without end where a folder that is
 * there takes none, as /proc does, and says of a read-only disk that the folder is not there.
 */
export async function makeFolders(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeFolder(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (systemErrorCode(error) !== "ENOENT" || above === path) throw error;
    // Not asked whether it is there: another may have made it since, and then the folder is merely tried again.
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
