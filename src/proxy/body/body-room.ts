/** Milliseconds without data after which an incomplete body may be dropped to make room for others. */
const STALLED_MS = 10_000;

/** The memory that all request bodies share. */
export interface BodyRoom {
  /** Bytes in use. */
  bytes: number;
  /** Bodies that are not complete yet. */
  readonly incoming: Set<BodyShare>;
}

/** Creates an empty room. */
export function createBodyRoom(): BodyRoom {
  return { bytes: 0, incoming: new Set() };
}

/**
 * The memory that one body takes: the bytes received. Announced bytes are not counted, so that `content-length` alone
 * cannot exhaust the room.
 */
export class BodyShare {
  /** Called when the body is dropped because it has stalled and others need its room. */
  onEvicted: (() => void) | undefined;
  private readonly room: BodyRoom;
  private readonly now: () => number;
  private taken = 0;
  private lastByteAt = 0;

  constructor(room: BodyRoom, now: () => number = () => performance.now()) {
    this.room = room;
    this.now = now;
  }

  /**
   * Reserves room for received bytes. Returns false, and reserves nothing, if all bodies would exceed `most` bytes.
   */
  take(bytes: number, most: number): boolean {
    this.lastByteAt = this.now();
    if (this.room.bytes + bytes > most && !this.evictStalled(bytes, most)) return false;
    this.room.bytes += bytes;
    this.taken += bytes;
    return true;
  }

  /** Adds this body to the incomplete ones, which are dropped if they stall. */
  begin(): void {
    this.room.incoming.add(this);
  }

  /** Records that the body is complete and takes this many bytes. */
  settle(bytes: number): void {
    this.room.incoming.delete(this);
    this.room.bytes += bytes - this.taken;
    this.taken = bytes;
  }

  /** Releases all room. Can be called more than once. */
  release(): void {
    this.settle(0);
  }

  /** Drops stalled bodies, the longest stalled first, until there is room. Returns whether there is. */
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
