import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../files/durable-file.ts";
import { withFileLock } from "../../files/file-lock.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { mayStillRun } from "../../files/running-process.ts";
import { readLog, replay } from "./log-file.ts";
import type { LogEntry } from "./session-log.ts";

/** Returns the folder of the logs in a data directory. */
export function logFolder(dataDirectory: string): string {
  return join(dataDirectory, "threads");
}

/**
 * Returns the path of a review's log. The name contains the subject, so that the next review of the subject finds the
 * logs of reviews that were interrupted.
 */
export function logPath(dataDirectory: string, subject: string, id: string): string {
  return join(logFolder(dataDirectory), `${subject}-${id}.jsonl`);
}

/** Returns the part of a log's name that is the same for all reviews of a subject, such as a plan file. */
export function hashSubject(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 16);
}

/** Returns the path of the log of a review that may have ended, or undefined. */
export async function findLog(dataDirectory: string, id: string): Promise<string | undefined> {
  const folder = logFolder(dataDirectory);
  const names = await readdir(folder).catch(() => []);
  const name = names.find((each) => each.endsWith(`-${id}.jsonl`));
  return name === undefined ? undefined : join(folder, name);
}

/** Returns the folder of plans that agents submit to live reviews. */
export function livePlanFolder(dataDirectory: string): string {
  return join(dataDirectory, "live-plans");
}

/** Returns the ids of the reviews of a subject that were approved or ended. */
export async function endedReviews(
  dataDirectory: string,
  subject: readonly string[],
): Promise<readonly string[]> {
  const folder = logFolder(dataDirectory);
  const prefix = `${hashSubject(...subject)}-`;
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(prefix));
  const found = await Promise.all(
    names.map(async (name) => {
      const isEnded = replay(await readLog(join(folder, name))).closed === "final";
      return isEnded ? [name.slice(prefix.length, -".jsonl".length)] : [];
    }),
  );
  return found.flat();
}

/**
 * Returns the ids of the reviews whose logs contain a batch. Another review may have taken over the log of the review
 * that sent it.
 */
export async function findBatch(dataDirectory: string, batch: string): Promise<readonly string[]> {
  const folder = logFolder(dataDirectory);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  const found = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), "utf8").catch(() => "");
      return text.includes(`"${batch}"`) ? [/-([0-9a-z]+)\.jsonl$/.exec(name)?.[1] ?? ""] : [];
    }),
  );
  return found.flat();
}

/**
 * Moves the threads and batches of earlier reviews of a subject to a new log, except those of live reviews that were
 * approved or ended, and of reviews that may still be running. Concurrent calls take over each log once. Entries keep
 * their ids, so that a crash during the move leaves no duplicates.
 */
export async function takeOverLogs(
  dataDirectory: string,
  subject: string,
  header: Extract<LogEntry, { op: "open" }>,
): Promise<void> {
  const folder = logFolder(dataDirectory);
  const isOfSubject = (name: string) => name.startsWith(`${subject}-`) && name.endsWith(".jsonl");
  const names = await readdir(folder).catch(() => []);
  if (!names.some(isOfSubject)) return;
  await makePrivateFolder(folder);
  await withFileLock(join(folder, `${subject}.lock`), async () => {
    const taken: { path: string; entries: readonly LogEntry[] }[] = [];
    for (const name of (await readdir(folder)).filter(isOfSubject).sort()) {
      const path = join(folder, name);
      const entries = await readLog(path);
      const { owner, closed } = replay(entries);
      if (closed !== "final" && !(owner && closed === undefined && mayStillRun(owner.process)))
        taken.push({ path, entries });
    }
    if (taken.length === 0) return;
    const moved = taken
      .flatMap(({ entries }) => entries)
      .filter(({ op }) => op !== "open" && op !== "closed");
    const text = [header, ...moved].map((entry) => `${JSON.stringify(entry)}\n`).join("");
    await replaceFile(logPath(dataDirectory, subject, header.id), text, 0o600);
    for (const { path } of taken) await rm(path, { force: true });
  });
}
