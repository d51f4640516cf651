import { closeSync, ftruncateSync, mkdirSync, openSync, unlinkSync, writeSync } from "node:fs";
import { appendFile, readdir, readFile, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { getProcessMark, isProcessMark, mayStillRun } from "../../files/running-process.ts";
import type { LineJournal } from "./line-batches.ts";

interface JournalFile {
  readonly path: string;
  readonly descriptor: number;
  /** Batches in this file that are not in the log yet. */
  pending: number;
}

/** The journal that this process writes. */
export interface OpenJournal extends LineJournal {
  /** Removes the files of the journal. */
  close(): void;
}

/**
 * Creates the journal of a log: two files beside it, so that one can be emptied while lines are appended to the other.
 * Throws the error of the file system.
 */
export function createJournal(log: string): OpenJournal {
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const header = `${JSON.stringify(getProcessMark())}\n`;
  const openFile = (name: string): JournalFile => {
    const path = `${log}.journal-${process.pid}-${name}`;
    const descriptor = openSync(path, "a", 0o600);
    ftruncateSync(descriptor, 0);
    writeSync(descriptor, header);
    return { path, descriptor, pending: 0 };
  };
  let current = openFile("a");
  let other = openFile("b");
  return {
    append(bytes) {
      try {
        writeSync(current.descriptor, bytes);
      } catch {
        // The later write to the log usually fails too, for example on a full disk, and reports the error.
      }
    },
    startBatch() {
      const file = current;
      file.pending += 1;
      if (other.pending === 0) [current, other] = [other, current];
      return () => {
        file.pending -= 1;
        if (file.pending === 0 && file !== current) ftruncateSync(file.descriptor, header.length);
      };
    },
    close() {
      for (const { path, descriptor } of [current, other]) {
        closeSync(descriptor);
        unlinkSync(path);
      }
    },
  };
}

/** Appends the lines in the journals of killed processes to a log, and removes these journals. */
export async function recoverJournals(log: string): Promise<void> {
  const prefix = `${basename(log)}.journal-`;
  const names = await readdir(dirname(log)).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const path = join(dirname(log), name);
    const [header = "", ...lines] = (await readFile(path, "utf8").catch(() => "")).split("\n");
    if (mayBeInUse(header)) continue;
    // The last element is empty or an incomplete line.
    const left = await withoutKnown(log, lines.slice(0, -1));
    if (left.length > 0) await appendFile(log, `\n${left.join("\n")}\n`, { mode: 0o600 });
    await unlink(path).catch(() => {});
  }
}

function mayBeInUse(header: string): boolean {
  try {
    const mark: unknown = JSON.parse(header);
    return isProcessMark(mark) && mark.pid !== process.pid && mayStillRun(mark);
  } catch {
    return false;
  }
}

/**
 * Returns the lines that are not in the log. A line is in both files if the process was killed after the write to the
 * log and before the journal was truncated.
 */
async function withoutKnown(log: string, lines: readonly string[]): Promise<string[]> {
  const text = lines.length === 0 ? "" : await readFile(log, "utf8").catch(() => "");
  const known = new Set(text.split("\n"));
  return lines.filter((line) => line !== "" && !known.has(line));
}
