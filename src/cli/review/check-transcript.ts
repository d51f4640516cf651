import { open, stat } from "node:fs/promises";

/** A transcript in JSON lines, which grows only while the agent works. */
export interface WatchedTranscript {
  readonly path: string;
  /**
   * Returns whether an entry that is newer than this process shows that the agent no longer waits for this
   * process.
   */
  endsTurn(entry: Readonly<Record<string, unknown>>): boolean;
}

const SETTLE_MS = 5_000;
/** Maximum bytes at the end of the file that are searched for entries. */
const TAIL_BYTES = 64 * 1024;

/**
 * Creates a check that reports whether an agent has continued since this process started: its transcript has grown or
 * has an entry that ends the turn. Ignores growth within `settle` milliseconds, because the agent may still write
 * entries from before the hook.
 */
export function createTranscriptCheck(
  { path, endsTurn }: WatchedTranscript,
  settle = SETTLE_MS,
): () => Promise<boolean> {
  const began = performance.now();
  let settled: number | undefined;
  let read: number | undefined;
  return async () => {
    const size = await readSize(path);
    if (size === undefined) return false;
    const isSettled = performance.now() - began >= settle;
    if (isSettled && settled !== undefined && size > settled) return true;
    if (!isSettled || settled === undefined) settled = size;
    if (size === read) return false;
    read = size;
    return (await readTail(path, size)).some((entry) => isNew(entry) && endsTurn(entry));
  };
}

type Entry = Readonly<Record<string, unknown>>;

/** Returns whether an entry was written after this process started. */
function isNew({ timestamp }: Entry): boolean {
  return typeof timestamp === "string" && Date.parse(timestamp) >= performance.timeOrigin;
}

/** Returns the entries at the end of the file. Leaves out incomplete lines. */
async function readTail(path: string, size: number): Promise<Entry[]> {
  const length = Math.min(size, TAIL_BYTES);
  const file = await open(path).catch(() => undefined);
  if (!file) return [];
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString("utf8", 0, bytesRead).split("\n").flatMap(parseEntry);
  } catch {
    return [];
  } finally {
    await file.close();
  }
}

function parseEntry(line: string): Entry[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value as Entry] : [];
  } catch {
    return [];
  }
}

function readSize(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
