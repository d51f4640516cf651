import { chmod } from "node:fs/promises";
import { makeFolders } from "../../config/make-folders.ts";

/** Makes a folder and those above it that are missing, for their owner alone. */
export async function makePrivateFolder(path: string): Promise<void> {
  const made = await makeFolders(path, 0o700);
  // The process's umask can only have taken rights away; a folder that was there keeps its own.
  if (made !== undefined && process.platform !== "win32") await chmod(path, 0o700);
}
