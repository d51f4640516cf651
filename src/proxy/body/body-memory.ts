/** Milliseconds without data after which an incomplete body can be dropped to free memory for others. */
const STALLED_MS = 10_000;

/** The memory that all request bodies share. */
export interface BodyMemory {
  /** Bytes in use. */
  bytes: number;
  /** Bodies that are not complete yet. */
  readonly incoming: Set<BodyShare>;
}

/** Creates the memory, with no bytes in use. */
export function createBodyMemory(): BodyMemory {
  return { bytes: 0, incoming: new Set() };
}

/**
 * Counts the memory of one body: received and decoded bytes, but not the announced `content-length`, with which a
 * client could otherwise exhaust the memory.
 */
export class BodyShare {
  /** Called when the body is dropped because it has stalled and another body needs its memory. */
  onEvicted: (() => void) | undefined;
  private readonly memory: BodyMemory;
  private readonly now: () => number;
  private taken = 0;
  private lastByteAt = 0;

  constructor(memory: BodyMemory, now: () => number = () => performance.now()) {
    this.memory = memory;
    this.now = now;
  }

  /**
   * Reserves memory for received bytes. Returns false and reserves nothing if all bodies together would exceed `max`
   * bytes, even after stalled ones are dropped.
   */
  take(bytes: number, max: number): boolean {
    this.lastByteAt = this.now();
    if (this.memory.bytes + bytes > max && !this.evictStalled(bytes, max)) return false;
    this.memory.bytes += bytes;
    this.taken += bytes;
    return true;
  }

  /** Marks the body as incomplete: from now on it can be dropped if it stalls. */
  begin(): void {
    this.memory.incoming.add(this);
  }

  /** Marks the body as complete, with this size in bytes. */
  settle(bytes: number): void {
    this.memory.incoming.delete(this);
    this.memory.bytes += bytes - this.taken;
    this.taken = bytes;
  }

  /** Releases all memory of the body. Further calls have no effect. */
  release(): void {
    this.settle(0);
  }

  /** Drops stalled bodies, the longest stalled first, until `bytes` fit into the memory. Returns whether they fit. */
  private evictStalled(bytes: number, max: number): boolean {
    const before = this.now() - STALLED_MS;
    const stalled = [...this.memory.incoming]
      .filter((share) => share !== this && share.taken > 0 && share.lastByteAt <= before)
      .sort((one, other) => one.lastByteAt - other.lastByteAt);
    for (const share of stalled) {
      share.release();
      share.onEvicted?.();
      if (this.memory.bytes + bytes <= max) return true;
    }
    return this.memory.bytes + bytes <= max;
  }
}
