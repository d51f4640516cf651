import { randomBytes, randomUUID } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile, storageFailure } from "../../files/durable-file.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { getProcessMark, isProcessMark, mayStillRun } from "../../files/running-process.ts";
import type { ReviewEntry } from "../api-types.ts";

// This module is loaded before the page can be opened, so reading, which needs zod, is in running-files.ts.

/** The ids of a review, and the token with which agents call it. */
export interface ReviewIdentity {
  /** Identifies the review among those of other processes; part of its record. */
  readonly sessionId: string;
  /** Id in the running file. */
  readonly reviewId: string;
  readonly token: string;
}

/** Returns a new identity. */
export function createIdentity(): ReviewIdentity {
  const sessionId = randomUUID();
  return { sessionId, reviewId: toReviewId(sessionId), token: randomBytes(32).toString("base64url") };
}

/** Returns the id of a review, which is part of the session id that its record contains. */
export function toReviewId(sessionId: string): string {
  return sessionId.replaceAll("-", "").slice(0, 12);
}

/** Returns the folder of the running files in a data directory. */
export function runningFolder(dataDirectory: string): string {
  return join(dataDirectory, "running");
}

const getRunningFilePath = (dataDirectory: string, id: string) =>
  join(runningFolder(dataDirectory), `${id}.json`);

/** Writes the running file of this process. Throws `storage`. */
export async function addRunning(
  dataDirectory: string,
  review: ReviewEntry & {
    readonly port: number;
    readonly token: string;
    readonly file?: string | undefined;
    /** Whether the review shows only some paths of the repository, or a patch. */
    readonly isPartial?: boolean | undefined;
  },
): Promise<void> {
  const folder = runningFolder(dataDirectory);
  try {
    await makePrivateFolder(folder);
    const text = JSON.stringify({ ...review, ...getProcessMark() });
    // Not durable: a power failure also ends the process.
    await replaceFile(getRunningFilePath(dataDirectory, review.id), text, 0o600, { durable: false });
  } catch (cause) {
    throw storageFailure(folder, cause);
  }
}

/** Changes the title in a running file. Never rejects. */
export async function retitleRunning(dataDirectory: string, id: string, title: string): Promise<void> {
  const path = getRunningFilePath(dataDirectory, id);
  try {
    const review: object = JSON.parse(await readFile(path, "utf8"));
    if ("title" in review && review.title === title) return;
    await replaceFile(path, JSON.stringify({ ...review, title }), 0o600, { durable: false });
  } catch {
    // The review has ended, or the data directory is not writable: the lists keep the first title.
  }
}

/** Removes a running file. Never rejects. */
export async function removeRunning(dataDirectory: string, id: string): Promise<void> {
  await rm(getRunningFilePath(dataDirectory, id), { force: true }).catch(() => {});
}

/** Removes running files of processes that were killed. Never rejects. */
export async function removeStale(dataDirectory: string): Promise<void> {
  const folder = runningFolder(dataDirectory);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
  await Promise.all(
    names.map(async (name) => {
      try {
        const mark: unknown = JSON.parse(await readFile(join(folder, name), "utf8"));
        if (isProcessMark(mark) && !mayStillRun(mark)) await rm(join(folder, name), { force: true });
      } catch {
        // Another process is removing the file, or the file is not a running file.
      }
    }),
  );
}
