/** An open stream to a client. */
export interface OpenStream {
  /** `performance.now()` when data last arrived or was written, or `onSilence` was last called. */
  lastActivity: number;
  /** The index in the list of open streams, set by that list; -1 if the stream is not in it. */
  index: number;
  /** Sends a keep-alive if possible. Called each time the stream has been silent for the registry's period. */
  onSilence(): void;
  /** Ends the stream, with a last event if possible. Called when the proxy stops. */
  onStop(): void;
}

/** A registry of open streams. One timer serves all of them, because a timer per stream is expensive. */
export interface OpenStreams {
  add(stream: OpenStream): void;
  delete(stream: OpenStream): void;
  /** Calls `onStop` of every stream and stops the timer. */
  stop(): void;
}

const POLL_MS = 250;

/**
 * Creates a registry that calls a stream's `onSilence` each time the stream has been silent for as many milliseconds as
 * `silenceMs` returns. The value 0 disables these calls.
 */
export function createOpenStreams(silenceMs: () => number): OpenStreams {
  const streams: OpenStream[] = [];
  const look = () => {
    const limit = silenceMs();
    if (limit === 0) return;
    const now = performance.now();
    for (const stream of [...streams]) {
      if (now - stream.lastActivity < limit) continue;
      stream.lastActivity = now;
      stream.onSilence();
    }
  };
  const timer = setInterval(look, POLL_MS);
  timer.unref();
  return {
    add(stream) {
      if (stream.index < 0) stream.index = streams.push(stream) - 1;
    },
    delete(stream) {
      const last = streams.at(-1);
      if (stream.index < 0 || last === undefined) return;
      // The last stream moves to the free index.
      streams[stream.index] = last;
      last.index = stream.index;
      stream.index = -1;
      streams.pop();
    },
    stop() {
      clearInterval(timer);
      for (const stream of [...streams]) stream.onStop();
    },
  };
}
