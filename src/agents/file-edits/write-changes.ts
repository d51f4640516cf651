import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, getErrorMessage, systemErrorCode } from "../../errors.ts";
import { getReason, replaceFile } from "../../files/durable-file.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { type Change, readMode, readText } from "./changes.ts";
import type { Receipt, ReceiptStore } from "./receipts.ts";

/** Settings may contain keys, so only the owner can read a new file. An existing file keeps its mode. */
const NEW_FILE_MODE = 0o600;

/**
 * Writes all changes. On a failure, restores the files already written. Throws `unreadable`, which also names files
 * that cannot be restored, or `storage` if a receipt cannot be read or written.
 */
export async function writeChanges(changes: readonly Change[], receipts: ReceiptStore): Promise<void> {
  const undo: UndoStep[] = [];
  try {
    for (const change of changes) await requireUnchanged(change);
    for (const change of changes) {
      if (change.backup) {
        const made = await foldersMadeFor(dirname(change.target));
        undo.push({ path: change.path, run: () => removeEmpty(made) });
        const earlier = await receipts.find(change.target);
        undo.push({ path: change.path, run: () => restoreReceipt(change, earlier, receipts) });
        await keepReceipt(change, made, earlier, receipts);
      }
      undo.push({ path: change.path, run: () => restore(change) });
      await writeChange(change);
    }
  } catch (error) {
    const notRestored = await runAll(undo.reverse());
    if (notRestored.length > 0) throw partlyWritten(notRestored, error);
    if (error instanceof AppError) throw error;
    throw new AppError("unreadable", `No changes made: ${getErrorMessage(error)}`, { cause: error });
  }
}

/** A step that reverts a part of a change of the file at `path`. */
interface UndoStep {
  readonly path: string;
  readonly run: () => Promise<void>;
}

/** Runs all steps, also after one has failed. Resolves to the paths of the steps that failed. */
async function runAll(steps: readonly UndoStep[]): Promise<readonly string[]> {
  const failed = new Set<string>();
  for (const { path, run } of steps) await run().catch(() => failed.add(path));
  return [...failed];
}

function partlyWritten(paths: readonly string[], cause: unknown): AppError {
  const reason = getErrorMessage(cause).replace(/\.$/, "");
  return new AppError("unreadable", `${reason}. Cannot restore ${paths.join(", ")}`, {
    cause,
    hint: "The other files are unchanged. Fix the cause and run the command again.",
  });
}

/** Deletes the receipts after an uninstallation, and removes the folders created for the files if they are empty. */
export async function forgetReceipts(targets: readonly string[], receipts: ReceiptStore): Promise<void> {
  const found = await Promise.all(targets.map((target) => receipts.find(target)));
  const folders = found.flatMap((receipt) => receipt?.madeFolders ?? []);
  await removeEmpty(folders);
  for (const target of targets) await receipts.forget(target);
}

async function keepReceipt(
  change: Change,
  made: readonly string[],
  earlier: Receipt | undefined,
  receipts: ReceiptStore,
): Promise<void> {
  await receipts.save({
    path: change.target,
    original: change.backup?.original,
    written: change.after ?? "",
    madeFolders: [...made, ...(earlier?.madeFolders ?? [])],
  });
}

async function restoreReceipt(
  { target }: Change,
  earlier: Receipt | undefined,
  receipts: ReceiptStore,
): Promise<void> {
  await (earlier === undefined ? receipts.forget(target) : receipts.save(earlier));
}

async function writeChange({ path, target, after }: Change): Promise<void> {
  try {
    await writeText(target, after);
  } catch (error) {
    throw new Error(`Cannot write ${path}: ${getReason(error)}`, { cause: error });
  }
}

/** Writes the earlier text, unless the file still has it. */
async function restore({ target, before }: Change): Promise<void> {
  if ((await readText(target)) !== before) await writeText(target, before);
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
