import { type FileHandle, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, systemErrorCode } from "../../errors.ts";
import { storageFailure } from "../../files/durable-file.ts";
import { makePrivateFolder } from "../../files/private-folder.ts";
import { getReadReason } from "../../files/read-reason.ts";
import { syncFolder } from "../../files/sync-folder.ts";
import { applyEntry, emptyState, type LogEntry, type LogState, logEntry } from "./session-log.ts";

/** An append-only file of log entries, one JSON object per line. */
export interface LogFile {
  /** Appends entries. Resolves once they are on disk. Concurrent calls can share one sync. Throws `storage`. */
  append(entries: readonly LogEntry[]): Promise<void>;
  close(): Promise<void>;
}

interface Pending {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a log file that is opened, and created with mode 0600, on the first append. */
export function createLogFile(path: string): LogFile {
  const queue: Pending[] = [];
  let file: FileHandle | undefined;
  let running: Promise<void> | undefined;
  const openFile = async (): Promise<FileHandle> => {
    await makePrivateFolder(dirname(path));
    const opened = await open(path, "a+", 0o600);
    try {
      // A process that was killed, or a full disk, may have left an incomplete line.
      if (!(await endsWithNewline(opened))) await opened.appendFile("\n");
      await syncFolder(dirname(path));
      return opened;
    } catch (error) {
      // Node.js 26 and newer throw when a file handle that is still open is garbage collected.
      await opened.close().catch(() => {});
      throw error;
    }
  };
  const flush = async () => {
    while (queue.length > 0) {
      const group = queue.splice(0);
      try {
        file ??= await openFile();
        await file.appendFile(group.map(({ text }) => text).join(""));
        await file.datasync();
        for (const { resolve } of group) resolve();
      } catch (cause) {
        await file?.close().catch(() => {});
        file = undefined;
        for (const { reject } of group) reject(storageFailure(dirname(path), cause));
      }
    }
    running = undefined;
  };
  return {
    append: (entries) =>
      new Promise((resolve, reject) => {
        queue.push({
          text: entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""),
          resolve,
          reject,
        });
        running ??= flush();
      }),
    async close() {
      await running;
      await file?.close();
      file = undefined;
    },
  };
}

async function endsWithNewline(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/**
 * Returns the entries of a log file; none if the file is missing. Lines that are incomplete or invalid are skipped.
 * Throws `unreadable`.
 */
export async function readLog(path: string): Promise<readonly LogEntry[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (systemErrorCode(cause) === "ENOENT") return [];
    throw new AppError("unreadable", `Cannot read the threads in ${path}: ${getReadReason(cause)}`, {
      cause,
      hint: "Make the file readable, or move it away to start without its threads.",
    });
  }
  return text.split("\n").flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): LogEntry | undefined {
  if (line === "") return undefined;
  try {
    const parsed = logEntry.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the state after a list of entries. */
export function replay(entries: readonly LogEntry[]): LogState {
  const log = emptyState();
  for (const entry of entries) applyEntry(log, entry);
  return log;
}
