import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolders } from "./make-folders.ts";
import { syncFolder } from "./sync-folder.ts";

/** Makes a folder and those above it that are missing, for their owner alone, each on disk in the folder above it. */
export async function makePrivateFolder(path: string): Promise<void> {
  const outermost = await makeFolders(path, 0o700);
  if (outermost === undefined) return;
  // The process's umask can only have taken rights away; a folder that was there keeps its own.
  if (process.platform !== "win32") await chmod(path, 0o700);
  for (let made = path; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === outermost || dirname(made) === made) return;
  }
}
