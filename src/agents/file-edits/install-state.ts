import { readText, resolveTarget } from "./changes.ts";
import type { FileEdit } from "./file-edit.ts";

/** `outdated`: installed, but this version (or this location of the command) would write something else. */
export type InstallState = "installed" | "outdated" | "absent" | "unreadable";

/** Returns the state of a set of edits. Only reads, and never throws. */
export async function readInstallState(edits: readonly FileEdit[]): Promise<InstallState> {
  try {
    const found = await Promise.all(edits.map(stateOfEdit));
    if (found.every((state) => state === "installed")) return "installed";
    return found.every((state) => state === "absent") ? "absent" : "outdated";
  } catch {
    return "unreadable";
  }
}

async function stateOfEdit(edit: FileEdit): Promise<InstallState> {
  const text = await readText(await resolveTarget(edit.path));
  if (edit.uninstall(text) === text) return "absent";
  return edit.install(text) === text ? "installed" : "outdated";
}
