import { randomBytes } from "node:crypto";
import { readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError, systemErrorCode } from "../errors.ts";
import { makePrivateFolder } from "./private-folder.ts";
import { getProcessMark, isProcessMark, mayStillRun } from "./running-process.ts";

// `proper-lockfile` is not used, because it detects an abandoned lock by its age, not by its process
// (docs/dependencies.md).

/** Default milliseconds to wait for a lock, which is usually kept for one small write. */
const WAIT_MS = 5_000;
/** Milliseconds between two attempts to acquire a lock. */
export const RETRY_MS = 15;
/**
 * Age in milliseconds after which a lock file that is not valid JSON is treated as abandoned. A younger file may still
 * be incomplete.
 */
const UNREADABLE_MS = 2_000;

/** Runs a task under an exclusive lock file. Throws as `acquireFileLock` does. */
export async function withFileLock<Result>(
  path: string,
  task: () => Promise<Result>,
  waitMs = WAIT_MS,
): Promise<Result> {
  const release = await acquireFileLock(path, waitMs);
  try {
    return await task();
  } finally {
    await release();
  }
}

/**
 * Creates an exclusive lock file, and resolves with a function that removes it. The lock of a process that has ended is
 * taken over. Throws the system's error if the lock file cannot be created, and `storage` if another process keeps the
 * lock for longer than `waitMs` milliseconds.
 */
export async function acquireFileLock(path: string, waitMs: number): Promise<() => Promise<void>> {
  await makePrivateFolder(dirname(path));
  await acquire(path, waitMs);
  return () => unlink(path).catch(() => {});
}

async function acquire(path: string, waitMs: number): Promise<void> {
  const owner = JSON.stringify(getProcessMark());
  for (const until = Date.now() + waitMs; ; ) {
    try {
      await writeFile(path, owner, { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") {
        // An incomplete lock file would block every process for `UNREADABLE_MS`.
        if (systemErrorCode(error) !== "EACCES") await unlink(path).catch(() => {});
        throw error;
      }
    }
    if (await isAbandoned(path)) await takeAway(path);
    else if (Date.now() > until) {
      throw new AppError(
        "storage",
        `Cannot write ${path.replace(/\.lock$/, "")}: another process keeps it locked`,
        {
          hint: `End that process, or delete ${path}.`,
        },
      );
    } else await delay(RETRY_MS);
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const owner: unknown = JSON.parse(await readFile(path, "utf8"));
    return isProcessMark(owner) && !mayStillRun(owner);
  } catch (error) {
    if (!(error instanceof SyntaxError)) return false;
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    return age > UNREADABLE_MS;
  }
}

/** Removes a lock. Renames before deleting, so that only one of several processes succeeds. */
async function takeAway(path: string): Promise<void> {
  const claimedPath = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    await rename(path, claimedPath);
    // Another process may have taken over the lock in the meantime; a lock in use is restored.
    if (await isAbandoned(claimedPath)) await unlink(claimedPath);
    else await rename(claimedPath, path);
  } catch {
    // Another process removed it first.
  }
}
