import { AppError } from "../errors.ts";
import { createQueue } from "../files/in-turn.ts";
import type { Adopt, DiffLease } from "./diff-session.ts";
import type { Snapshot } from "./git/snapshot.ts";

/** A diff and its variant without whitespace changes, which is created on first use. */
export interface DiffEntry<Shot extends Snapshot> {
  readonly whole: Shot;
  spaceless?: Promise<Shot>;
}

interface EntryPorts<Shot extends Snapshot, Entry extends DiffEntry<Shot>> {
  /** Creates the first entry. */
  readonly create: () => Promise<Entry>;
  /** Creates the variant of a diff without whitespace changes. */
  readonly createSpaceless: (entry: Entry) => Promise<Shot>;
  readonly lease: (entry: Entry, snapshot: Shot) => DiffLease;
  /** Called when an entry becomes the current one. */
  readonly onCurrent?: (entry: Entry) => void;
}

/** The entry of the current diff in a diff session. */
export class CurrentEntry<Shot extends Snapshot, Entry extends DiffEntry<Shot>> {
  private readonly ports: EntryPorts<Shot, Entry>;
  private readonly inTurn = createQueue();
  private latest: Promise<Entry> | undefined;
  private isClosed = false;

  constructor(ports: EntryPorts<Shot, Entry>) {
    this.ports = ports;
  }

  /** Returns the entry; the first call creates it. If that fails, the next call creates it again. */
  get(): Promise<Entry> {
    return this.latest ?? this.keep(this.createFirst());
  }

  /** Leases the diff as described at `DiffSession.current`. */
  async current(ignoreSpace = false): Promise<DiffLease> {
    const entry = await this.get();
    // Throws if the entry is closed, because nothing would close a variant that is created later.
    const whole = this.leaseWhole(entry);
    if (!ignoreSpace) return whole;
    try {
      return this.ports.lease(entry, await this.spaceless(entry));
    } finally {
      whole.release();
    }
  }

  /** Leases the diff as described at `DiffSession.whole`. */
  async whole(id?: string, ignoreSpace = false): Promise<DiffLease | undefined> {
    const entry = await this.get();
    const lease = this.leaseWhole(entry);
    try {
      if (id === undefined || id === entry.whole.diffId) return lease;
      if (ignoreSpace && id === (await this.spaceless(entry)).diffId) return lease;
    } catch (error) {
      lease.release();
      throw error;
    }
    lease.release();
    return undefined;
  }

  /** Replaces the entry as described at `DiffSession.switchTo`. */
  replace(create: () => Promise<Entry>, adopt?: Adopt): Promise<DiffLease> {
    return this.inTurn(async () => {
      const entry = await this.create(create);
      const previous = this.latest;
      this.latest = Promise.resolve(entry);
      const after = this.leaseWhole(entry);
      try {
        await adopt?.(after, async () => previous?.then(this.leaseWhole, () => undefined));
      } catch (error) {
        after.release();
        this.latest = previous && this.keep(previous);
        await closeEntry(entry);
        throw error;
      }
      this.ports.onCurrent?.(entry);
      void previous?.then(closeEntry, () => {});
      return after;
    });
  }

  /** Closes the entry after a replacement in progress, and any entry that is created later. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.inTurn(async () => this.latest?.then(closeEntry)).catch(() => {});
  }

  private readonly leaseWhole = (entry: Entry): DiffLease => this.ports.lease(entry, entry.whole);

  /** Returns the variant without whitespace changes. If it fails, the next call creates it again. */
  private async spaceless(entry: Entry): Promise<Shot> {
    entry.spaceless ??= this.ports.createSpaceless(entry);
    const creating = entry.spaceless;
    try {
      return await creating;
    } catch (error) {
      if (entry.spaceless === creating) delete entry.spaceless;
      throw error;
    }
  }

  private async createFirst(): Promise<Entry> {
    const entry = await this.create(this.ports.create);
    this.ports.onCurrent?.(entry);
    return entry;
  }

  private async create(create: () => Promise<Entry>): Promise<Entry> {
    const entry = await create();
    if (!this.isClosed) return entry;
    await closeEntry(entry);
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

/** Closes both variants of a diff. */
export async function closeEntry({ whole, spaceless }: DiffEntry<Snapshot>): Promise<void> {
  await whole.spool.close();
  await spaceless?.then((snapshot) => snapshot.spool.close()).catch(() => {});
}
