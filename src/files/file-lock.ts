import { randomBytes } from "node:crypto";
import { readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError, systemErrorCode } from "../errors.ts";
import { makePrivateFolder } from "./private-folder.ts";
import { isProcessMark, markOfProcess, mayStillRun } from "./running-process.ts";

/** How long a lock is waited for by default; it is held for the time of one small write. */
const WAIT_MS = 5_000;
const RETRY_MS = 15;
/** A lock file without a readable owner is being written, or its writer died. */
const UNREADABLE_MS = 2_000;

/**
 * Runs a task while no other process runs one under the same lock file. The lock of a process that has ended is taken over.
 * Throws the system's error where no lock file can be made, and `storage` where another process keeps the lock.
 */
export async function withFileLock<Result>(
  path: string,
  task: () => Promise<Result>,
  waitMs = WAIT_MS,
): Promise<Result> {
  await makePrivateFolder(dirname(path));
  await acquire(path, waitMs);
  try {
    return await task();
  } finally {
    await unlink(path).catch(() => {});
  }
}

async function acquire(path: string, waitMs: number): Promise<void> {
  const owner = JSON.stringify(markOfProcess());
  for (const until = Date.now() + waitMs; ; ) {
    try {
      await writeFile(path, owner, { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") {
        // A lock that could not be written whole would keep everybody out.
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

/** Renames before it deletes: of several processes that take a lock away, one succeeds. */
async function takeAway(path: string): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    await rename(path, aside);
    // Another process may have taken the lock over in the meantime: a lock that is in use goes back.
    if (await isAbandoned(aside)) await unlink(aside);
    else await rename(aside, path);
  } catch {
    // Somebody else was faster.
  }
}
