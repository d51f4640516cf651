/** Milliseconds without data after which an incomplete body may be dropped to make room for others. */
const STALLED_MS = 10_000;

/** The memory that all request bodies share. */
export interface BodyMemory {
  /** Bytes in use. */
  bytes: number;
  /** Bodies that are not complete yet. */
  readonly incoming: Set<BodyShare>;
}

/** Returns memory without any body. */
export function createBodyMemory(): BodyMemory {
  return { bytes: 0, incoming: new Set() };
}

/**
 * The memory that one body takes: the bytes received. Announced bytes are not counted, so that `content-length` alone
 * cannot exhaust the memory.
 */
export class BodyShare {
  /** Called when the body is dropped because it has stalled and others need its memory. */
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
   * Reserves memory for received bytes. Returns false, and reserves nothing, if all bodies would exceed `max` bytes.
   */
  take(bytes: number, max: number): boolean {
    this.lastByteAt = this.now();
    if (this.memory.bytes + bytes > max && !this.evictStalled(bytes, max)) return false;
    this.memory.bytes += bytes;
    this.taken += bytes;
    return true;
  }

  /** Adds this body to the incomplete ones, which are dropped if they stall. */
  begin(): void {
    this.memory.incoming.add(this);
  }

  /** Records that the body is complete and takes this many bytes. */
  settle(bytes: number): void {
    this.memory.incoming.delete(this);
    this.memory.bytes += bytes - this.taken;
    this.taken = bytes;
  }

  /** Releases all memory. Can be called more than once. */
  release(): void {
    this.settle(0);
  }

  /** Drops stalled bodies, the longest stalled first, until there is enough memory. Returns whether there is. */
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
