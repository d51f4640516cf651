import { open } from "node:fs/promises";
import { systemErrorCode } from "../errors.ts";

/** Waits until a folder's entries are on disk, where the system can do that: names, not the files' content. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, some file systems cannot sync them; what was renamed or made is there either way.
  const folder = await open(path, "r").catch(() => undefined);
  try {
    await folder?.sync();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  } finally {
    await folder?.close();
  }
}
