import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolders } from "./make-folders.ts";
import { syncFolder } from "./sync-folder.ts";

/** Creates a folder and its missing parents with mode 0700, each durably. */
export async function makePrivateFolder(path: string): Promise<void> {
  const outermost = await makeFolders(path, 0o700);
  if (outermost === undefined) return;
  // The umask may have removed permissions of the owner.
  if (process.platform !== "win32") await chmod(path, 0o700);
  for (let made = path; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === outermost || dirname(made) === made) return;
  }
}
