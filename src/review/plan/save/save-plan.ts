import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../../errors.ts";
import { replaceFile } from "../../../files/durable-file.ts";
import { makeFolders } from "../../../files/make-folders.ts";
import { makePrivateFolder } from "../../../files/private-folder.ts";
import type { PlanDecision } from "../../decision.ts";
import { toSlug } from "../../storage/file-names.ts";
import { planTitle } from "../plan-title.ts";

export interface PlanToSave {
  readonly plan: string;
  readonly decision: PlanDecision;
  readonly folder: string;
  /** Whether only the owner may read the folder; a folder that the person chose gets default permissions. */
  readonly isPrivate: boolean;
}

const MAX_COPIES = 10_000;

/**
 * Saves a decided plan and the feedback as `<slug>-approved.md` or `<slug>-denied.md`, and returns the path. Never
 * overwrites: a name that is taken gets `-2`, `-3` … Rejects with the system's error.
 */
export async function savePlan({ plan, decision, folder, isPrivate }: PlanToSave): Promise<string> {
  await (isPrivate ? makePrivateFolder(folder) : makeFolders(folder));
  const stem = `${toSlug(planTitle(plan))}-${decision.kind === "approve" ? "approved" : "denied"}`;
  return writeNew(folder, stem, savedText(plan, decision), isPrivate ? 0o600 : 0o666);
}

/** Returns the text to save: the plan with the person's edits, followed by the feedback. */
export function savedText(plan: string, { editedPlan, feedback }: PlanDecision): string {
  const text = (editedPlan ?? plan).trimEnd();
  return feedback ? `${text}\n\n---\n\n## Feedback\n\n${feedback}\n` : `${text}\n`;
}

/**
 * Writes a new file, completely or not at all, under the first free name of `<stem>.md`, `<stem>-2.md` … Returns its
 * path.
 */
export async function writeNew(folder: string, stem: string, text: string, mode: number): Promise<string> {
  const path = await reserve(folder, stem, mode);
  try {
    await replaceFile(path, text, mode);
    return path;
  } catch (error) {
    await unlink(path).catch(() => {});
    throw error;
  }
}

/** Reserves a name by creating an empty file, so that concurrent reviews get different names. */
async function reserve(folder: string, stem: string, mode: number): Promise<string> {
  for (let count = 1; count < MAX_COPIES; count += 1) {
    const path = join(folder, count === 1 ? `${stem}.md` : `${stem}-${count}.md`);
    try {
      await (await open(path, "wx", mode)).close();
      return path;
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    }
  }
  throw new Error(`no free name for ${stem}.md in ${folder}`);
}
