import type { Database } from "../../database/open-database.ts";
import { getErrorMessage } from "../../errors.ts";
import { parseLedgerRow } from "./ledger-row.ts";
import { createChunkBuffer, fileId, readChunk } from "./ledger-tail.ts";
import { type LogPosition, writeCalls } from "./ledger-write.ts";

/** Copies the request log to the database, from the position at which the last copy stopped. */
export interface Ledger {
  /** Schedules a copy. Call it when the log has new lines. */
  wake(): void;
  /** Reads the log from the position in the database, after another database has replaced the previous one. */
  reread(): void;
  /** Returns whether a file of the log may have lines that are not in the database; such a file must not be deleted. */
  needs(path: string): Promise<boolean>;
  /** The reason why the database cannot be written; undefined if it can. */
  readonly failure: string | undefined;
  /** Writes all lines so far, if the database is available. Never rejects. */
  flush(): Promise<void>;
  /** Writes the remaining lines, if the database is available, and stops. */
  close(): Promise<void>;
}

interface LedgerOptions {
  readonly db: Database;
  /** The path of the log. */
  readonly log: string;
  /** Identifies the log in the database: the machine and the path. */
  readonly logId: string;
  /** Milliseconds that calls are kept; older lines are not written. */
  readonly retentionMs: () => number;
  readonly onFailure: (error: unknown) => void;
  readonly onRecovery: () => void;
}

/** Milliseconds between `wake` and the copy. */
const WRITE_MS = 400;
/** Milliseconds until a failed write is repeated. */
const RETRY_MS = 1_000;

/** Creates a ledger, which begins with the lines that an earlier process has left. */
export function createLedger(options: LedgerOptions): Ledger {
  return new LogLedger(options);
}

class LogLedger implements Ledger {
  failure: string | undefined;
  private readonly options: LedgerOptions;
  private position: LogPosition | undefined;
  private isRead = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isClosed = false;
  private isRequestedAgain = false;

  constructor(options: LedgerOptions) {
    this.options = options;
    this.schedule(0);
  }

  wake(): void {
    this.schedule(WRITE_MS);
  }

  reread(): void {
    this.isRead = false;
    this.schedule(0);
  }

  async needs(path: string): Promise<boolean> {
    const id = await fileId(path);
    if (id === undefined) return false;
    if (!this.isRead) return true;
    const { position } = this;
    // Files are copied oldest first, and the oldest has the highest number.
    const chunk = await readChunk(this.options.log, position);
    if (chunk === undefined) return false;
    return position === undefined || position.file === id || !(await this.isBefore(path, position.file));
  }

  async flush(): Promise<void> {
    // A running write may have read the log before the latest lines.
    await this.running;
    if (this.running === undefined) this.start();
    await this.running;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.running;
    await this.run();
  }

  /** Returns whether a rotated file is older than the file with this id. */
  private async isBefore(path: string, id: string): Promise<boolean> {
    const number = Number(/\.(\d+)$/.exec(path)?.[1] ?? 0);
    for (let newer = number - 1; newer >= 0; newer -= 1) {
      const other = newer === 0 ? this.options.log : `${this.options.log}.${newer}`;
      if ((await fileId(other)) === id) return true;
    }
    return false;
  }

  private schedule(ms: number): void {
    if (this.isClosed) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // Lines may have been added after the running write read the log.
      if (this.running !== undefined) this.isRequestedAgain = true;
      else this.start();
    }, ms).unref();
  }

  private start(): void {
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (this.isRequestedAgain) this.schedule(0);
      this.isRequestedAgain = false;
    });
  }

  /** Writes all complete lines. Never rejects. */
  private async run(): Promise<void> {
    try {
      if (!this.isRead) await this.readPosition();
      const buffer = createChunkBuffer();
      for (;;) {
        const chunk = await readChunk(this.options.log, this.position, buffer);
        if (chunk === undefined) break;
        const oldest = Date.now() - this.options.retentionMs();
        const rows = chunk.lines
          .flatMap((line) => parseLedgerRow(line) ?? [])
          .filter(({ time }) => time >= oldest);
        const { db, logId } = this.options;
        if (await writeCalls(db, rows, logId, this.position, chunk.next)) this.position = chunk.next;
        else await this.readPosition();
      }
      if (this.failure !== undefined) {
        this.failure = undefined;
        this.options.onRecovery();
      }
    } catch (error) {
      if (this.failure === undefined) this.options.onFailure(error);
      this.failure = getErrorMessage(error);
      this.schedule(RETRY_MS);
    }
  }

  private async readPosition(): Promise<void> {
    const row = await this.options.db
      .selectFrom("log_positions")
      .select(["file", "position"])
      .where("log", "=", this.options.logId)
      .executeTakeFirst();
    this.position = row;
    this.isRead = true;
  }
}
