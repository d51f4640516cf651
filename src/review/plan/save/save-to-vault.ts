import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { makeFolders } from "../../../files/make-folders.ts";
import { isWithin } from "../../is-within.ts";
import { toFileTitle } from "../../storage/file-names.ts";
import { planTitle } from "../plan-title.ts";
import { frontMatter } from "./front-matter.ts";
import { writeNew } from "./save-plan.ts";

export interface VaultNote {
  /** Absolute. */
  readonly vaultPath: string;
  /** Below the vault; the vault's root where there is none. */
  readonly folder?: string;
  readonly tags?: readonly string[];
  readonly plan: string;
}

/**
 * Writes the plan as a note `<title> - <date time>.md` with front matter and resolves to its path; never overwrites.
 * Throws where the vault is none, or the folder would lead out of it, by its name or by a link.
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
  // Looked at before anything is made, so that a link cannot have folders made elsewhere.
  if (!isWithin(vault, await nearestExisting(folder)))
    throw new Error(`the folder "${name}" leads out of the vault`);
  await makeFolders(folder);
  return realpath(folder);
}

async function nearestExisting(path: string): Promise<string> {
  const found = await realpath(path).catch(() => undefined);
  return found ?? nearestExisting(dirname(path));
}

/** `2026-11-21 16-08`, in the person's own time. */
function localTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${date} ${two(time.getHours())}-${two(time.getMinutes())}`;
}
