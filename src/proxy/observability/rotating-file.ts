import { type FileHandle, open, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { withFileLock } from "../../files/file-lock.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { createLineBatches, type LineSink } from "./line-batches.ts";

/**
 * A text file of bounded size. When it is full, it is renamed to `.1`, `.1` to `.2` and so on, and the oldest file is
 * deleted. If only one file is kept, it is emptied instead.
 */
export interface RotatingFile extends LineSink {
  /**
   * Appends whole lines after those of earlier calls; lines that `write` has buffered are written later. Resolves when
   * they are written or the write has failed.
   */
  append(lines: Uint8Array): Promise<void>;
}

/** When a file is rotated, and how many files are kept. */
export interface RotationLimits {
  /** Maximum bytes of one file. */
  readonly maxFile: number;
  /** Maximum number of files, including the current one. */
  readonly files: number;
  /** Returns whether a file can be deleted. A file that is still needed is kept in addition to `files`. */
  readonly mayDelete?: (path: string) => Promise<boolean>;
}

/**
 * Creates a rotating file, to which lines are written in batches. If a write fails, its lines are lost, and `onError`
 * receives the error unless the previous write failed too.
 */
export function createRotatingFile(
  path: string,
  limits: () => RotationLimits,
  onError: (error: unknown) => void,
): RotatingFile {
  let writing: Promise<void> = Promise.resolve();
  let failed = false;
  /** Whether the file can end with an incomplete line, which a killed process or a write error leaves. */
  let isTorn = true;

  const append = (lines: Uint8Array): Promise<void> => {
    writing = writing
      .then(() => withRotationLock(`${path}.lock`, () => appendTo(path, lines, limits(), isTorn)))
      .then(
        () => {
          failed = false;
          isTorn = false;
        },
        (error: unknown) => {
          if (!failed) onError(error);
          failed = true;
          isTorn = true;
        },
      );
    return writing;
  };
  const { write, afterWrite, close } = createLineBatches(append);
  return {
    append,
    write,
    afterWrite,
    async close() {
      await close();
      await writing;
    },
  };
}

/**
 * Milliseconds after which a lock is removed. A batch is written within milliseconds, so an older lock belongs to a
 * process that has ended on another host, where its existence cannot be checked.
 */
const ABANDONED_MS = 60_000;

/**
 * Runs a task while no other process writes the same log, because concurrent rotations would overwrite each other's
 * files. If the lock cannot be acquired, the task runs without it.
 */
async function withRotationLock(lock: string, task: () => Promise<void>): Promise<void> {
  let hasLock = false;
  try {
    await withFileLock(lock, () => {
      hasLock = true;
      return task();
    });
  } catch (error) {
    if (hasLock) throw error;
    await task();
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > ABANDONED_MS) await unlink(lock).catch(() => {});
  }
}

async function appendTo(
  path: string,
  bytes: Uint8Array,
  limits: RotationLimits,
  isTorn: boolean,
): Promise<void> {
  const { maxFile } = limits;
  await makeFolders(dirname(path), 0o700);
  for (let rest = bytes, isSafe = !isTorn; rest.length > 0; isSafe = true) {
    const size = await readSize(path);
    let length = linesWithin(rest, maxFile - size - (isSafe ? 0 : 1));
    if (length === 0) {
      if (size > 0) await rotate(path, limits);
      // A line longer than the maximum gets its own file.
      length = linesWithin(rest, maxFile) || rest.indexOf(NEWLINE) + 1 || rest.length;
    }
    await appendLines(path, rest.subarray(0, length), isSafe);
    rest = rest.subarray(length);
  }
}

async function readSize(path: string): Promise<number> {
  return stat(path).then(
    (entry) => entry.size,
    () => 0,
  );
}

const NEWLINE = 0x0a;

/** Returns the number of bytes of the first whole lines that fit into `room` bytes. */
function linesWithin(lines: Uint8Array, room: number): number {
  if (lines.length <= room) return lines.length;
  return room > 0 ? lines.lastIndexOf(NEWLINE, room - 1) + 1 : 0;
}

async function appendLines(path: string, lines: Uint8Array, isSafe: boolean): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "a+", 0o600);
    if (!isSafe && (await endsMidway(file))) await file.appendFile("\n");
    await appendAll(file, lines);
  } finally {
    await file?.close();
  }
}

/** Appends bytes. If writing fails, as on a full disk, truncates the file to its previous size. */
async function appendAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile(bytes);
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  }
}

/** Returns whether the file's last line has no newline. */
async function endsMidway(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}

async function rotate(path: string, { files, mayDelete }: RotationLimits): Promise<void> {
  if (mayDelete !== undefined) return rotateKeeping(path, files, mayDelete);
  for (let number = files - 1; number >= 1; number -= 1) await shift(path, number);
  if (files === 1) await open(path, "w", 0o600).then((file) => file.close());
}

/** Renames file `number` - 1 to file `number`; the current file is number 0. */
async function shift(path: string, number: number): Promise<void> {
  const from = number === 1 ? path : `${path}.${number - 1}`;
  await rename(from, `${path}.${number}`).catch(() => {});
}

/** Rotates, and deletes only files beyond `files` that are no longer needed. */
async function rotateKeeping(
  path: string,
  files: number,
  mayDelete: (path: string) => Promise<boolean>,
): Promise<void> {
  let last = Math.max(1, files - 1);
  while ((await readSize(`${path}.${last}`)) > 0 && !(await mayDelete(`${path}.${last}`))) last += 1;
  for (let number = last; number >= 1; number -= 1) await shift(path, number);
  for (let number = last; number >= files; number -= 1) {
    const old = `${path}.${number}`;
    if (!(await mayDelete(old))) return;
    await unlink(old).catch(() => {});
  }
}
