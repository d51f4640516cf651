import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import { replaceFile } from "../../files/durable-file.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { type Change, readMode, readText } from "./changes.ts";
import type { ReceiptStore } from "./receipts.ts";

/** Settings may contain keys, so only the owner can read a new file. An existing file keeps its mode. */
const NEW_FILE_MODE = 0o600;

/** Writes all changes or none: on a failure, files already written are restored. Throws `unreadable`. */
export async function writeChanges(changes: readonly Change[], receipts: ReceiptStore): Promise<void> {
  const begun: Change[] = [];
  const made: string[] = [];
  try {
    for (const change of changes) await requireUnchanged(change);
    for (const change of changes) {
      begun.push(change);
      if (change.backup) {
        const folders = await foldersMadeFor(dirname(change.target));
        made.push(...folders);
        await keepReceipt(change, folders, receipts);
      }
      await writeText(change.target, change.after);
    }
  } catch (error) {
    for (const change of begun.reverse()) await writeText(change.target, change.before);
    await removeEmpty(made);
    if (error instanceof AppError) throw error;
    throw new AppError("unreadable", `No changes made: ${getErrorMessage(error)}`, { cause: error });
  }
}

/** Deletes the receipts after an uninstallation, and removes the folders created for the files if they are empty. */
export async function forgetReceipts(targets: readonly string[], receipts: ReceiptStore): Promise<void> {
  const found = await Promise.all(targets.map((target) => receipts.find(target)));
  const folders = found.flatMap((receipt) => receipt?.madeFolders ?? []);
  await removeEmpty(folders);
  for (const target of targets) await receipts.forget(target);
}

async function keepReceipt(change: Change, made: readonly string[], receipts: ReceiptStore): Promise<void> {
  const earlier = await receipts.find(change.target);
  await receipts.save({
    path: change.target,
    original: change.backup?.original,
    written: change.after ?? "",
    madeFolders: [...made, ...(earlier?.madeFolders ?? [])],
  });
}

async function writeText(path: string, text: string | undefined): Promise<void> {
  if (text === undefined) await rm(path, { force: true });
  else await replaceFile(path, text, (await readMode(path)) ?? NEW_FILE_MODE, { exactMode: true });
}

/**
 * Throws `unreadable` if the file changed since the diff was shown: the agent may have written its settings in the
 * meantime.
 */
async function requireUnchanged(change: Change): Promise<void> {
  if ((await readText(change.target)) === change.before) return;
  throw new AppError("unreadable", `${change.path} was changed by another program in the meantime`, {
    hint: "No changes made. Run the command again.",
  });
}

/** Creates the folder. Resolves to the folders that did not exist, innermost first. */
async function foldersMadeFor(folder: string): Promise<readonly string[]> {
  const first = await makeFolders(folder);
  if (first === undefined) return [];
  const made = [folder];
  for (let current = folder; current !== first; current = dirname(current)) made.push(dirname(current));
  return made;
}

async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toSorted((one, other) => other.length - one.length))
    await removeIfEmpty(folder);
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(systemErrorCode(error) ?? "")) throw error;
  }
}
