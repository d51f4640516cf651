import { open } from "node:fs/promises";
import { systemErrorCode } from "../errors.ts";

/** Syncs a folder's entries (names, not contents) to disk, if the system supports it. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and some file systems cannot sync them. The entries exist even without a sync.
  const folder = await open(path, "r").catch(() => undefined);
  try {
    await folder?.sync();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  } finally {
    await folder?.close();
  }
}
