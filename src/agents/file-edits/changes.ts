import { constants } from "node:fs";
import { access, lstat, readFile, readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { AppError, systemErrorCode } from "../../errors.ts";
import { getReason } from "../../files/durable-file.ts";
import { getReadReason } from "../../files/read-reason.ts";
import type { FileEdit } from "./file-edit.ts";
import { isUntouched, type ReceiptStore } from "./receipts.ts";

/** A file before and after a change; `undefined` stands for a file that does not exist. */
export interface Change {
  /** The path as the agent uses it. */
  readonly path: string;
  /** The file that is written; it differs from `path` if that is a symbolic link. */
  readonly target: string;
  readonly purpose: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Set for an installation: the text that `uninstall` restores unless the file has changed in between. */
  readonly backup?: { readonly original: string | undefined };
}

/** Returns the changes of an installation, without files that stay the same. Only reads. */
export async function changesToInstall(
  edits: readonly FileEdit[],
  receipts: ReceiptStore,
): Promise<readonly Change[]> {
  return changes(edits, async (edit, target, before) => {
    const receipt = await receipts.find(target);
    const original = isUntouched(receipt, before) ? receipt.original : edit.uninstall(before, receipt);
    return { after: edit.install(before, receipt), backup: { original } };
  });
}

/**
 * Returns the changes of an uninstallation. A file that was not changed since the installation is restored byte for
 * byte; from any other file only Sallyport's part is removed.
 */
export async function changesToUninstall(
  edits: readonly FileEdit[],
  receipts: ReceiptStore,
): Promise<readonly Change[]> {
  return changes(edits, async (edit, target, before) => {
    const receipt = await receipts.find(target);
    return { after: isUntouched(receipt, before) ? receipt.original : edit.uninstall(before, receipt) };
  });
}

type Outcome = Pick<Change, "after" | "backup">;

async function changes(
  edits: readonly FileEdit[],
  getOutcome: (edit: FileEdit, target: string, before: string | undefined) => Promise<Outcome>,
): Promise<readonly Change[]> {
  const found: Change[] = [];
  for (const edit of edits) {
    const target = await resolveTarget(edit.path);
    const before = await readText(target);
    const outcome = await inFile(edit.path, () => getOutcome(edit, target, before));
    if (outcome.after === before) continue;
    await requireWritable(target, edit.path);
    found.push({ path: edit.path, target, purpose: edit.purpose, before, ...outcome });
  }
  return found;
}

const REPAIR_HINT = "Make the file readable and save it as UTF-8, or move it away.";

/**
 * Returns the file's text, or undefined if the file does not exist. Throws `unreadable` if it cannot be read or is
 * not UTF-8.
 */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    const reason = error instanceof TypeError ? "it is not UTF-8 text" : getReadReason(error);
    throw new AppError("unreadable", `Cannot read ${path}: ${reason}`, { cause: error, hint: REPAIR_HINT });
  }
}

/** Follows a symbolic link, even to a file that does not exist yet, so that a dotfile manager's link stays a link. */
export async function resolveTarget(path: string): Promise<string> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await resolveLink(path) : path;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw unreadable(path, error);
    return path;
  }
}

async function resolveLink(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return resolveTarget(resolve(dirname(path), await readlink(path)));
  }
}

/**
 * Throws `unreadable` if the file or the nearest existing folder above it is not writable. The modes are checked
 * explicitly, because a rename replaces a read-only file and root may write any file.
 */
async function requireWritable(target: string, path: string): Promise<void> {
  const file = await readMode(target);
  if (file !== undefined && !(file & 0o200)) refuseReadOnly(path);
  let folder = dirname(target);
  while ((await readMode(folder)) === undefined) folder = dirname(folder);
  if (!(((await readMode(folder)) ?? 0) & 0o200)) refuseReadOnly(folder);
  await access(folder, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    throw new AppError("unreadable", `Cannot write to ${folder}: ${getReason(cause)}. No changes made`, {
      cause,
      hint: `Check its owner and mode: ls -ld "${folder}"`,
    });
  });
}

function refuseReadOnly(path: string): never {
  throw new AppError("unreadable", `${path} is read-only. No changes made`, {
    hint: `Make it writable first: chmod u+w "${path}"`,
  });
}

async function inFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${path}: ${error.message}`, { cause: error, hint: error.hint ?? "" });
  }
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError("unreadable", `Cannot read ${path}: ${getReadReason(cause)}`, {
    cause,
    hint: REPAIR_HINT,
  });
}

/** Returns the permissions of a file or folder, or undefined if it does not exist. */
export async function readMode(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
