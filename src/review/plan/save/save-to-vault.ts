import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { makeFolders } from "../../../files/make-folders.ts";
import { isWithin } from "../../is-within.ts";
import { toFileTitle } from "../../storage/file-names.ts";
import { planTitle } from "../plan-title.ts";
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

/**
 * Returns YAML front matter for note apps. Every value from a person is a double-quoted scalar, so that a tag cannot
 * add a member. Source: https://yaml.org/spec/1.2.2/#double-quoted-style
 */
export function frontMatter({ created, tags }: { created: Date; tags: readonly string[] }): string {
  const list = tags.length === 0 ? " []" : `\n${tags.map((tag) => `  - ${quoted(tag)}`).join("\n")}`;
  return `---\ncreated: ${created.toISOString()}\nsource: sallyport\ntags:${list}\n---\n`;
}

/** Returns a string as a double-quoted YAML scalar on one line. JSON's escapes are a subset of YAML's. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
