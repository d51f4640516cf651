/** A stream to a client that is open. */
export interface OpenStream {
  /** `performance.now()` when it was last written to. */
  lastActivity: number;
  /** Where it stands among the open ones, which keep this; -1 where it is not one of them. */
  place: number;
  /** It has been silent for long: time for a keep-alive. */
  onSilence(): void;
  /** The proxy ends: time for a last event. */
  onStop(): void;
}

/** The streams that are open. One timer watches them all: a timer each would cost more than the streams. */
export interface OpenStreams {
  add(stream: OpenStream): void;
  delete(stream: OpenStream): void;
  /** Tells every stream that the proxy ends, and watches no more. */
  stop(): void;
}

const LOOK_MS = 250;

/** Calls `onSilence` of streams that were silent for `silenceMs`, and again each time it passes; 0 never calls. */
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
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    add(stream) {
      if (stream.place < 0) stream.place = streams.push(stream) - 1;
    },
    delete(stream) {
      const last = streams.at(-1);
      if (stream.place < 0 || last === undefined) return;
      // The last one takes its place.
      streams[stream.place] = last;
      last.place = stream.place;
      stream.place = -1;
      streams.pop();
    },
    stop() {
      clearInterval(timer);
      for (const stream of [...streams]) stream.onStop();
    },
  };
}
