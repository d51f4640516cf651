import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { LogPosition } from "./ledger-write.ts";

/** Whole lines of a log that follow a position, and the position after them. */
export interface LogChunk {
  readonly lines: readonly string[];
  readonly next: LogPosition;
}

/** Bytes that are read at once: about 500 calls. */
const CHUNK = 192 * 1024;
const NEWLINE = 0x0a;

/**
 * Returns a buffer for `readChunk`. A caller that reads many chunks reuses one, because V8 may keep each buffer until
 * the next full collection.
 */
export function createChunkBuffer(): Buffer {
  return Buffer.allocUnsafe(CHUNK);
}

interface LogFile {
  readonly path: string;
  readonly id: string;
  readonly size: number;
}

/**
 * Reads the next lines after a position from a log and its rotated files, oldest first. Starts with the oldest file if
 * there is no position or its file no longer exists. Returns undefined if there are no more lines.
 */
export async function readChunk(
  log: string,
  after: LogPosition | undefined,
  buffer = createChunkBuffer(),
): Promise<LogChunk | undefined> {
  const files = await logFiles(log);
  const known = after === undefined ? -1 : files.findIndex(({ id }) => id === after.file);
  for (let index = Math.max(known, 0); index < files.length; index += 1) {
    const file = files[index] as LogFile;
    const from = index === known && after !== undefined && after.position <= file.size ? after.position : 0;
    const chunk = await readLines(file, from, index < files.length - 1, buffer);
    if (chunk !== undefined) return chunk;
  }
  return undefined;
}

/** Returns the id of a file of a log: its inode and its creation time, because inodes are reused. */
export async function fileId(path: string): Promise<string | undefined> {
  return stat(path).then(toFileId, () => undefined);
}

function toFileId({ ino, birthtimeMs }: { readonly ino: number; readonly birthtimeMs: number }): string {
  return `${ino}:${Math.round(birthtimeMs)}`;
}

/** Returns the files of a log that exist, oldest first. */
async function logFiles(log: string): Promise<LogFile[]> {
  const name = basename(log);
  const names = await readdir(dirname(log)).catch(() => []);
  const numbers = names.flatMap((each) => {
    if (each === name) return [0];
    const rest = each.startsWith(`${name}.`) ? each.slice(name.length + 1) : "";
    return /^\d{1,6}$/.test(rest) ? [Number(rest)] : [];
  });
  const found = await Promise.all(
    numbers
      .sort((one, other) => other - one)
      .map(async (number) => {
        const path = join(dirname(log), number === 0 ? name : `${name}.${number}`);
        return stat(path).then(
          (entry) => ({ path, id: toFileId(entry), size: entry.size }),
          () => undefined,
        );
      }),
  );
  return found.filter((file) => file !== undefined);
}

/** Reads whole lines, and an incomplete last line of a rotated file, because it will never be completed. */
async function readLines(
  file: LogFile,
  from: number,
  isRotated: boolean,
  chunk: Buffer,
): Promise<LogChunk | undefined> {
  if (from >= file.size) return undefined;
  const handle = await open(file.path, "r").catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    let buffer = chunk.subarray(0, Math.min(chunk.length, file.size - from));
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
      const bytes = buffer.subarray(0, bytesRead);
      const isWhole = bytesRead === buffer.length && from + bytesRead >= file.size;
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      const used = end === 0 && isRotated && isWhole ? bytesRead : end;
      if (used > 0) {
        const next = { file: file.id, position: from + used };
        return { lines: bytes.toString("utf8", 0, used).split("\n").filter(Boolean), next };
      }
      if (from + buffer.length >= file.size || bytesRead < buffer.length) return undefined;
      // One line is longer than the buffer.
      buffer = Buffer.allocUnsafe(Math.min(buffer.length * 2, file.size - from));
    }
  } finally {
    await handle.close();
  }
}
