import type { InstallTarget, ReviewInstall } from "../agent.ts";
import { readText, resolveTarget } from "./changes.ts";
import type { FileEdit } from "./file-edit.ts";

/** `outdated`: installed only in part, or this version (or this location of the command) would write different text. */
export type InstallState = "installed" | "outdated" | "absent" | "unreadable";

/** Returns the state of an installation, and whether it is the variant for `--live`. Only reads, and never rejects. */
export async function readEitherState(
  edits: ReviewInstall["edits"],
  target: InstallTarget,
): Promise<{ readonly state: InstallState; readonly live: boolean }> {
  const state = await readInstallState(edits({ ...target, live: false }));
  const live =
    state === "outdated" && (await readInstallState(edits({ ...target, live: true }))) === "installed";
  return live ? { state: "installed", live } : { state, live };
}

/** Returns the state of a set of edits. Only reads, and never rejects. */
export async function readInstallState(edits: readonly FileEdit[]): Promise<InstallState> {
  try {
    const found = await Promise.all(edits.map(getEditState));
    if (found.every((state) => state === "installed")) return "installed";
    return found.every((state) => state === "absent") ? "absent" : "outdated";
  } catch {
    return "unreadable";
  }
}

async function getEditState(edit: FileEdit): Promise<InstallState> {
  const text = await readText(await resolveTarget(edit.path));
  if (edit.uninstall(text) === text) return "absent";
  return edit.install(text) === text ? "installed" : "outdated";
}
