import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { makeFolders } from "../../../files/make-folders.ts";
import { isWithin } from "../../is-within.ts";
import { toFileTitle } from "../../storage/file-names.ts";
import { planTitle } from "../plan-title.ts";
import { frontMatter } from "./front-matter.ts";
import { writeNew } from "./save-plan.ts";

export interface VaultNote {
  /** Absolute path of the vault. */
  readonly vaultPath: string;
  /** Path relative to the vault; its root if absent. */
  readonly folder?: string;
  readonly tags?: readonly string[];
  readonly plan: string;
}

/**
 * Writes the plan as a note `<title> - <date time>.md` with front matter and returns its path. Never overwrites.
 * Rejects if the vault is not a folder, or if `folder` leads out of it by its name or a link.
 */
export async function saveToVault(note: VaultNote, now: Date = new Date()): Promise<string> {
  const vault = await realpath(note.vaultPath);
  if (!(await stat(vault)).isDirectory()) throw new Error(`${note.vaultPath} is not a folder`);
  const folder = await folderWithin(vault, note.folder?.trim() || ".");
  const stem = `${toFileTitle(planTitle(note.plan))} - ${localTime(now)}`;
  const text = `${frontMatter({ created: now, tags: note.tags ?? [] })}\n${note.plan.trimEnd()}\n`;
  return writeNew(folder, stem, text, 0o666);
}

async function folderWithin(vault: string, name: string): Promise<string> {
  const folder = resolve(vault, name);
  if (isAbsolute(name) || !isWithin(vault, folder))
    throw new Error(`the folder "${name}" is outside the vault`);
  // Checked before folders are created, so that a link cannot redirect them out of the vault.
  if (!isWithin(vault, await nearestExisting(folder)))
    throw new Error(`the folder "${name}" leads out of the vault`);
  await makeFolders(folder);
  return realpath(folder);
}

async function nearestExisting(path: string): Promise<string> {
  const found = await realpath(path).catch(() => undefined);
  return found ?? nearestExisting(dirname(path));
}

/** Formats a time as `2026-11-21 16-08` in the local time zone. */
function localTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${date} ${two(time.getHours())}-${two(time.getMinutes())}`;
}
