import { open, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

const LOOK_MS = 200;
const CHUNK_BYTES = 256 * 1024;

/** Returns the last complete lines of a file, and the position after them; no lines if the file cannot be opened. */
export async function readLastLines(
  path: string,
  count: number,
): Promise<{ readonly lines: readonly string[]; readonly end: number }> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return { lines: [], end: 0 };
  try {
    const { size } = await file.stat();
    let start = size;
    let text = Buffer.alloc(0);
    while (start > 0 && countNewlines(text) <= count) {
      const length = Math.min(CHUNK_BYTES, start);
      start -= length;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
      text = Buffer.concat([buffer.subarray(0, bytesRead), text]);
    }
    const whole = text.subarray(0, text.lastIndexOf(0x0a) + 1);
    const lines = whole.toString("utf8").split("\n").slice(0, -1);
    return { lines: count === 0 ? [] : lines.slice(-count), end: start + whole.length };
  } finally {
    await file.close();
  }
}

/**
 * Calls `onLine` for each line that is appended to a file after a position, until the signal aborts. Follows the path:
 * after a rotation, reads the rest of the old file, then the new one; after a truncation, reads from the start. The
 * file need not exist yet.
 */
export async function followLines(
  path: string,
  end: number,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let file = await open(path).catch(() => undefined);
  let at = end;
  let rest = Buffer.alloc(0);
  const readOn = async () => {
    for (;;) {
      const read = await file?.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
      if (read === undefined || read.bytesRead === 0) return;
      at += read.bytesRead;
      const bytes = Buffer.concat([rest, read.buffer.subarray(0, read.bytesRead)]);
      const whole = bytes.lastIndexOf(0x0a) + 1;
      rest = bytes.subarray(whole);
      for (const line of bytes.subarray(0, whole).toString("utf8").split("\n").slice(0, -1)) onLine(line);
    }
  };
  try {
    while (!signal.aborted) {
      await readOn();
      const next = await stat(path).catch(() => undefined);
      const current = await file?.stat();
      if (next && (current === undefined || next.ino !== current.ino || next.dev !== current.dev)) {
        await readOn();
        await file?.close();
        file = await open(path).catch(() => undefined);
        [at, rest] = [0, Buffer.alloc(0)];
      } else if (next && next.size < at) [at, rest] = [0, Buffer.alloc(0)];
      await pause(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await file?.close();
  }
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}
