/** Takes lines one by one. */
export interface LineSink {
  write(line: string): void;
  /** Flushes the buffer; resolves when all lines have been processed. */
  close(): Promise<void>;
}

const FLUSH_MS = 200;
/** Bytes of the buffer; when it is full, it is flushed at once. */
const WAITING = 256 * 1024;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const WIDEST = 3;

/**
 * Creates a sink that passes lines on in batches, each line ended with a newline. Waiting lines are kept as bytes:
 * every garbage collection would have to move thousands of strings. `take` must handle its own errors.
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
    // Resolves without a value, so that the chain does not retain earlier promises.
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
