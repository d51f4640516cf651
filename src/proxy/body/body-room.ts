/** Milliseconds without a byte after which a body that is still coming gives its room to others that need it. */
const STALLED_MS = 10_000;

/** The memory that all request bodies share. */
export interface BodyRoom {
  /** Bytes that are taken. */
  bytes: number;
  /** Bodies that are still coming. */
  readonly incoming: Set<BodyShare>;
}

/** An empty room. */
export function createBodyRoom(): BodyRoom {
  return { bytes: 0, incoming: new Set() };
}

/**
 * What one body takes of the room: the bytes that have come of it. What a client only announces is not counted, so that it
 * keeps nobody out.
 */
export class BodyShare {
  /** Called when the body has to go because it stalls and others need its room. */
  onEvicted: (() => void) | undefined;
  private readonly room: BodyRoom;
  private readonly now: () => number;
  private taken = 0;
  private lastByteAt = 0;

  constructor(room: BodyRoom, now: () => number = () => performance.now()) {
    this.room = room;
    this.now = now;
  }

  /** Takes room for bytes that have come. Returns false, and takes none, where there would be more than `most` in all. */
  take(bytes: number, most: number): boolean {
    this.lastByteAt = this.now();
    if (this.room.bytes + bytes > most && !this.evictStalled(bytes, most)) return false;
    this.room.bytes += bytes;
    this.taken += bytes;
    return true;
  }

  /** Begins to be one of the bodies that are still coming. */
  begin(): void {
    this.room.incoming.add(this);
  }

  /** The body has come whole and takes this many bytes. */
  settle(bytes: number): void {
    this.room.incoming.delete(this);
    this.room.bytes += bytes - this.taken;
    this.taken = bytes;
  }

  /** Gives everything back. May be called again. */
  release(): void {
    this.settle(0);
  }

  /** Lets go of bodies that stall, the longest first, until there is room. */
  private evictStalled(bytes: number, most: number): boolean {
    const before = this.now() - STALLED_MS;
    const stalled = [...this.room.incoming]
      .filter((share) => share !== this && share.taken > 0 && share.lastByteAt <= before)
      .sort((one, other) => one.lastByteAt - other.lastByteAt);
    for (const share of stalled) {
      share.release();
      share.onEvicted?.();
      if (this.room.bytes + bytes <= most) return true;
    }
    return this.room.bytes + bytes <= most;
  }
}
