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
const WAITING = 1024 * 1024;

/** Lines are written in batches; a disk that fails is told once and never stops the proxy. */
export function createRotatingFile(
  path: string,
  limits: () => RotationLimits,
  onError: (error: unknown) => void,
): RotatingFile {
  let waiting: string[] = [];
  let waitingSize = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failed = false;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting.join("");
    waiting = [];
    waitingSize = 0;
    if (text === "") return;
    writing = writing
      .then(() => append(path, text, limits()))
      .catch((error: unknown) => {
        if (!failed) onError(error);
        failed = true;
      });
  };
  return {
    write(line) {
      waiting.push(line, "\n");
      waitingSize += line.length;
      if (waitingSize > WAITING) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    async close() {
      flush();
      await writing;
    },
  };
}

async function append(path: string, text: string, limits: RotationLimits): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const size = await stat(path).then(
    (entry) => entry.size,
    () => 0,
  );
  if (size > 0 && size + text.length > limits.maxFile) await rotate(path, limits.files);
  let file: FileHandle | undefined;
  try {
    file = await open(path, "a", 0o600);
    await file.appendFile(text);
  } finally {
    await file?.close();
  }
}

async function rotate(path: string, files: number): Promise<void> {
  for (let number = files - 1; number >= 1; number -= 1) {
    const from = number === 1 ? path : `${path}.${number - 1}`;
    await rename(from, `${path}.${number}`).catch(() => {});
  }
  if (files === 1) await open(path, "w", 0o600).then((file) => file.close());
}
