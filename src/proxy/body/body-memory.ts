/** Milliseconds without data after which an incomplete body can be dropped to free memory for others. */
const STALLED_MS = 10_000;

/** The memory that all request bodies share. */
export interface BodyMemory {
  /** Bytes in use. */
  bytes: number;
  /**
   * Bodies that are not complete yet, in any order. An array, because V8 retains members removed from a set or map
   * until the next full garbage collection: each discarded hash table refers to its successor (bench/proxy/memory.mjs).
   */
  readonly incoming: BodyShare[];
}

/** Creates the memory, with no bytes in use. */
export function createBodyMemory(): BodyMemory {
  return { bytes: 0, incoming: [] };
}

/**
 * Counts the memory of one body: its received and decoded bytes. The announced `content-length` does not count, because
 * clients could exhaust the memory by announcing bodies that they never send.
 */
export class BodyShare {
  /** Called when the body is dropped because it has stalled and another body needs its memory. */
  onEvicted: (() => void) | undefined;
  private readonly memory: BodyMemory;
  private readonly now: () => number;
  private taken = 0;
  private lastByteAt = 0;
  /** Position among the incoming bodies; -1 if the body is not one of them. */
  private position = -1;

  constructor(memory: BodyMemory, now: () => number = () => performance.now()) {
    this.memory = memory;
    this.now = now;
  }

  /**
   * Reserves memory for received or decoded bytes. Returns false and reserves nothing if all bodies together would
   * exceed `max` bytes, even after stalled ones are dropped.
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
    if (this.position === -1) this.position = this.memory.incoming.push(this) - 1;
  }

  /** Marks the body as complete, with this size in bytes. */
  settle(bytes: number): void {
    this.leave();
    this.memory.bytes += bytes - this.taken;
    this.taken = bytes;
  }

  /** Releases all memory of the body. */
  release(): void {
    this.settle(0);
  }

  /** Removes the body from the incoming ones. */
  private leave(): void {
    const { incoming } = this.memory;
    if (this.position === -1) return;
    const last = incoming.pop();
    if (last !== undefined && last !== this) {
      incoming[this.position] = last;
      last.position = this.position;
    }
    this.position = -1;
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
