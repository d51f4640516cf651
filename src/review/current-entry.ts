import { AppError } from "../errors.ts";
import { createQueue } from "../files/in-turn.ts";
import type { Adopt, DiffLease } from "./diff-session.ts";

interface EntryPorts<Entry> {
  /** Creates the first entry. */
  readonly create: () => Promise<Entry>;
  readonly lease: (entry: Entry) => DiffLease;
  readonly close: (entry: Entry) => Promise<void>;
}

/** The entry of the current diff in a diff session. */
export class CurrentEntry<Entry> {
  private readonly ports: EntryPorts<Entry>;
  private readonly inTurn = createQueue();
  private latest: Promise<Entry> | undefined;
  private isClosed = false;

  constructor(ports: EntryPorts<Entry>) {
    this.ports = ports;
  }

  /** Returns the entry; the first call creates it. If that fails, the next call creates it again. */
  get(): Promise<Entry> {
    return this.latest ?? this.keep(this.create(this.ports.create));
  }

  /** Replaces the entry as described at `DiffSession.switchTo`. */
  replace(create: () => Promise<Entry>, adopt?: Adopt): Promise<DiffLease> {
    return this.inTurn(async () => {
      const { lease, close } = this.ports;
      const entry = await this.create(create);
      const previous = this.latest;
      this.latest = Promise.resolve(entry);
      const after = lease(entry);
      try {
        await adopt?.(after, async () => previous?.then(lease, () => undefined));
      } catch (error) {
        after.release();
        this.latest = previous && this.keep(previous);
        await close(entry);
        throw error;
      }
      void previous?.then(close, () => {});
      return after;
    });
  }

  /** Closes the entry after a replacement in progress, and any entry that is created later. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.inTurn(async () => this.latest?.then(this.ports.close)).catch(() => {});
  }

  private async create(create: () => Promise<Entry>): Promise<Entry> {
    const entry = await create();
    if (!this.isClosed) return entry;
    await this.ports.close(entry);
    throw new AppError("already_decided", "The review has ended.");
  }

  private keep(entry: Promise<Entry>): Promise<Entry> {
    this.latest = entry;
    entry.catch(() => {
      if (this.latest === entry) this.latest = undefined;
    });
    return entry;
  }
}
