/** Takes lines one by one. */
export interface LineSink {
  write(line: string): void;
  /** Flushes the buffer; resolves when all lines have been processed. */
  close(): Promise<void>;
}

const FLUSH_MS = 200;
/** Bytes of the buffer, which is flushed immediately when it is full. */
const WAITING = 256 * 1024;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const WIDEST = 3;

/** A file of the lines that are not in the log yet, in case the process is killed. */
export interface LineJournal {
  /** Writes bytes immediately. */
  append(bytes: Uint8Array): void;
  /** Returns a function to call when all bytes so far are in the log. */
  startBatch(): () => void;
}

/**
 * Creates a sink that passes lines on in batches, each line ended with a newline. Waiting lines are kept as bytes:
 * every garbage collection would have to move thousands of strings. `take` must handle its own errors.
 * With a journal, lines are in that file when `write` returns: the client of a call may have its response already.
 */
export function createLineBatches(take: (bytes: Buffer) => Promise<void>, journal?: LineJournal): LineSink {
  let waiting: Buffer | undefined;
  let used = 0;
  let timer: NodeJS.Timeout | undefined;
  let taken: Promise<void> = Promise.resolve();
  let journaled = 0;

  const writeJournal = () => {
    if (waiting && used > journaled) journal?.append(waiting.subarray(journaled, used));
    journaled = used;
  };
  const flush = () => {
    if (journal) writeJournal();
    journaled = 0;
    clearTimeout(timer);
    timer = undefined;
    const bytes = waiting?.subarray(0, used);
    waiting = undefined;
    used = 0;
    if (!bytes) return;
    // Resolves without a value, so that the chain does not retain earlier promises.
    const before = taken;
    const written = journal?.startBatch();
    taken = take(bytes)
      .then(written)
      .then(() => before);
  };
  return {
    write(line) {
      const most = WIDEST * line.length + 1;
      if (waiting && used + most > waiting.length) flush();
      waiting ??= Buffer.allocUnsafe(Math.max(WAITING, most));
      used += waiting.write(`${line}\n`, used);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
      if (journal) writeJournal();
    },
    async close() {
      flush();
      await taken;
    },
  };
}
