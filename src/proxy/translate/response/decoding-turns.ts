/**
 * Bytes of all streams after which further chunks wait for the next turn of the event loop: the size of the largest
 * chunk from a socket.
 */
const TURN_BYTES = 64 * 1024;

/**
 * Events of a chunk that are decoded per turn of the event loop. A chunk of 64 KiB usually has fewer than 300 events.
 */
const TURN_EVENTS = 512;

/** A chunk that waits to be decoded. */
interface Waiting {
  readonly bytes: number;
  readonly proceed: () => void;
}

/**
 * Distributes the decoding of all streams over turns of the event loop, so that other requests are served even if
 * hundreds of upstreams send at full speed (bench/proxy/crowds.mjs). A process has one instance, because it has one
 * event loop.
 */
export class DecodingTurns {
  private used = 0;
  private readonly waiting: Waiting[] = [];
  private isScheduled = false;

  /**
   * Returns a promise to await before this number of bytes is decoded, or undefined if they can be decoded in this
   * turn.
   */
  take(bytes: number): Promise<void> | undefined {
    this.schedule();
    if (this.used < TURN_BYTES && this.waiting.length === 0) {
      this.used += bytes;
      return undefined;
    }
    return new Promise((proceed) => this.waiting.push({ bytes, proceed }));
  }

  /**
   * Returns a promise to await before the event at an index of a chunk is decoded, or undefined if it can be decoded in
   * this turn.
   */
  pauseAt(index: number): Promise<void> | undefined {
    if (index === 0 || index % TURN_EVENTS !== 0) return undefined;
    this.schedule();
    return new Promise((proceed) => this.waiting.push({ bytes: TURN_BYTES, proceed }));
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.nextTurn());
  }

  private nextTurn(): void {
    this.isScheduled = false;
    this.used = 0;
    while (this.used < TURN_BYTES) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.used += next.bytes;
      next.proceed();
    }
    this.schedule();
  }
}

/** The turns of this process's event loop. */
export const decodingTurns = new DecodingTurns();
