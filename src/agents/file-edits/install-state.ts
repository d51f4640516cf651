import { readText, targetOf } from "./changes.ts";
import type { FileEdit } from "./file-edit.ts";

/** `outdated`: ours is there, but not as this version (or this place of the command) would write it. */
export type InstallState = "installed" | "outdated" | "absent" | "unreadable";

/** What is there of a set of edits. Reads only, and never throws. */
export async function stateOf(edits: readonly FileEdit[]): Promise<InstallState> {
  try {
    const found = await Promise.all(edits.map(stateOfEdit));
    if (found.every((state) => state === "installed")) return "installed";
    return found.every((state) => state === "absent") ? "absent" : "outdated";
  } catch {
    return "unreadable";
  }
}

async function stateOfEdit(edit: FileEdit): Promise<InstallState> {
  const text = await readText(await targetOf(edit.path));
  if (edit.uninstall(text) === text) return "absent";
  return edit.install(text) === text ? "installed" : "outdated";
}
