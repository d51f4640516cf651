import { mkdirSync } from "node:fs";
import { type FileHandle, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** A text file of bounded size: when it is full it becomes `.1`, `.1` becomes `.2`, and the oldest goes. */
export interface RotatingFile {
  write(line: string): void;
  /** Writes what is waiting. */
  close(): Promise<void>;
}

export interface RotationLimits {
  /** Bytes of one file. */
  readonly maxFile: number;
  /** How many there are at most, the current one included. */
  readonly files: number;
}

const FLUSH_MS = 200;
/** Bytes that may wait; more than that is written out at once, and lost where the disk does not take it. */
const WAITING = 256 * 1024;
/** Bytes that UTF-8 takes for one character of a string at most. */
const WIDEST = 3;

/**
 * Lines are written in batches; a disk that fails is told once, again only when it has worked meanwhile, and never stops
 * the proxy. What waits is kept as bytes:
 * thousands of strings, in pieces as they were put together, would be moved by each garbage collection until then.
 */
export function createRotatingFile(
  path: string,
  limits: () => RotationLimits,
  onError: (error: unknown) => void,
): RotatingFile {
  let waiting: Buffer | undefined;
  let used = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failed = false;
  /** The file may end in half a line: one of a process that was killed, or of a disk that failed. */
  let isTorn = true;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const bytes = waiting?.subarray(0, used);
    waiting = undefined;
    used = 0;
    if (!bytes) return;
    writing = writing
      .then(() => append(path, bytes, limits(), isTorn))
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
  };
  return {
    write(line) {
      const most = WIDEST * line.length + 1;
      if (waiting && used + most > waiting.length) flush();
      waiting ??= Buffer.allocUnsafe(Math.max(WAITING, most));
      used += waiting.write(line, used);
      used += waiting.write("\n", used);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    async close() {
      flush();
      await writing;
    },
  };
}

async function append(path: string, bytes: Buffer, limits: RotationLimits, isTorn: boolean): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const size = await stat(path).then(
    (entry) => entry.size,
    () => 0,
  );
  if (size > 0 && size + bytes.length > limits.maxFile) await rotate(path, limits.files);
  let file: FileHandle | undefined;
  try {
    file = await open(path, "a+", 0o600);
    if (isTorn && (await endsMidway(file))) await file.appendFile("\n");
    await appendWhole(file, bytes);
  } finally {
    await file?.close();
  }
}

/** Takes back what a full disk has taken of the lines: half a line is none. */
async function appendWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile(bytes);
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  }
}

/** Whether the file's last line is not ended. */
async function endsMidway(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}

async function rotate(path: string, files: number): Promise<void> {
  for (let number = files - 1; number >= 1; number -= 1) {
    const from = number === 1 ? path : `${path}.${number - 1}`;
    await rename(from, `${path}.${number}`).catch(() => {});
  }
  if (files === 1) await open(path, "w", 0o600).then((file) => file.close());
}
