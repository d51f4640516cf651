/** Receives lines one by one. */
export interface LineSink {
  write(line: string): void;
  /** Runs a function when the lines so far are in the journal; immediately if there is no journal. */
  afterWrite(run: () => void): void;
  /** Flushes the buffer. Resolves when all lines have been processed. */
  close(): Promise<void>;
}

const FLUSH_MS = 200;
/** Size of the buffer in bytes. It is flushed immediately if a line does not fit. */
const WAITING = 256 * 1024;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const WIDEST = 3;

/** Stores the lines that are not in the log yet, so that they are not lost if the process is killed. */
export interface LineJournal {
  /** Writes bytes immediately. */
  append(bytes: Uint8Array): void;
  /** Returns a function that the caller must call when all bytes appended so far are in the log. */
  startBatch(): () => void;
}

/**
 * Creates a sink that passes lines to `take` in batches, with a newline after each line. `take` must not reject; when it
 * has resolved, the bytes are used again. Waiting lines are kept as bytes, because each garbage collection would have to
 * move thousands of strings. With a journal, the lines of one turn of the event loop are written to the journal together
 * at the end of the turn.
 */
export function createLineBatches(take: (bytes: Buffer) => Promise<void>, journal?: LineJournal): LineSink {
  let waiting: Buffer | undefined;
  // Used again, because V8 keeps a buffer that has outlived two collections until the next full one.
  let spare: Buffer | undefined;
  let used = 0;
  let timer: NodeJS.Timeout | undefined;
  let taken: Promise<void> = Promise.resolve();
  let journaled = 0;
  let isScheduled = false;
  let waitingForWrite: (() => void)[] = [];

  const writeJournal = () => {
    if (waiting && used > journaled) journal?.append(waiting.subarray(journaled, used));
    journaled = used;
  };
  const endTurn = () => {
    isScheduled = false;
    writeJournal();
    const runs = waitingForWrite;
    waitingForWrite = [];
    for (const run of runs) run();
  };
  const flush = () => {
    if (journal) writeJournal();
    journaled = 0;
    clearTimeout(timer);
    timer = undefined;
    if (!waiting) return;
    const buffer = waiting;
    const bytes = buffer.subarray(0, used);
    waiting = undefined;
    used = 0;
    // The promise resolves without a value, so that the chain does not retain earlier promises.
    const before = taken;
    const written = journal?.startBatch();
    taken = take(bytes)
      .then(written)
      .then(() => {
        if (buffer.length === WAITING) spare = buffer;
        return before;
      });
  };
  const takeBuffer = (bytes: number) => {
    if (bytes > WAITING || !spare) return Buffer.allocUnsafe(Math.max(WAITING, bytes));
    const buffer = spare;
    spare = undefined;
    return buffer;
  };
  return {
    write(line) {
      const most = WIDEST * line.length + 1;
      if (waiting && used + most > waiting.length) flush();
      waiting ??= takeBuffer(most);
      used += waiting.write(`${line}\n`, used);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
      if (journal === undefined || isScheduled) return;
      isScheduled = true;
      setImmediate(endTurn);
    },
    afterWrite(run) {
      if (isScheduled) waitingForWrite.push(run);
      else run();
    },
    async close() {
      flush();
      await taken;
    },
  };
}
