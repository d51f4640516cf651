/** Something that wants to be told when it has been silent for long. */
export interface Silent {
  /** `performance.now()` when it was last heard of. */
  lastActivity: number;
  onSilence(): void;
}

/** One timer for all streams: a timer each would cost more than the streams. */
export interface Pinger {
  add(stream: Silent): void;
  delete(stream: Silent): void;
  stop(): void;
}

/** Calls `onSilence` of streams that were silent for `silenceMs`, and again each time it passes; 0 never calls. */
export function createPinger(silenceMs: () => number): Pinger {
  const streams = new Set<Silent>();
  const look = () => {
    const limit = silenceMs();
    if (limit === 0) return;
    const now = performance.now();
    for (const stream of streams) {
      if (now - stream.lastActivity < limit) continue;
      stream.lastActivity = now;
      stream.onSilence();
    }
  };
  const timer = setInterval(look, 250);
  timer.unref();
  return {
    add: (stream) => streams.add(stream),
    delete: (stream) => streams.delete(stream),
    stop: () => clearInterval(timer),
  };
}
