/** Takes lines one by one. */
export interface LineSink {
  write(line: string): void;
  /** Hands on what is waiting; resolves when that and all before it has been taken. */
  close(): Promise<void>;
}

const FLUSH_MS = 200;
/** Bytes that may wait; more than that is handed on at once. */
const WAITING = 256 * 1024;
/** Bytes that UTF-8 takes for one character of a string at most. */
const WIDEST = 3;

/**
 * Hands lines on in batches of whole ones, each ended. What waits is kept as bytes: thousands of strings, in pieces as
 * they were put together, would be moved by each garbage collection until then. `take` deals with its own failures.
 */
export function createLineBatches(take: (bytes: Buffer) => Promise<void>): LineSink {
  let waiting: Buffer | undefined;
  let used = 0;
  let timer: NodeJS.Timeout | undefined;
  let taken: Promise<void> = Promise.resolve();

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const bytes = waiting?.subarray(0, used);
    waiting = undefined;
    used = 0;
    if (!bytes) return;
    // Resolved to nothing: a list of all before it would grow for ever.
    const before = taken;
    taken = take(bytes).then(() => before);
  };
  return {
    write(line) {
      const most = WIDEST * line.length + 1;
      if (waiting && used + most > waiting.length) flush();
      waiting ??= Buffer.allocUnsafe(Math.max(WAITING, most));
      used += waiting.write(`${line}\n`, used);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    async close() {
      flush();
      await taken;
    },
  };
}
