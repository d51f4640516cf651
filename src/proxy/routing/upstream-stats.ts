/** Measurements of an upstream. */
interface Figures {
  inFlight: number;
  /** Smoothed milliseconds to the first byte; undefined before the first response. */
  firstByteMs: number | undefined;
  /** The time at which `firstByteMs` was last updated, in milliseconds since 1970. */
  measuredAt: number;
}

/** Weight of a new measurement in the smoothed time. */
const SMOOTHING = 0.3;
/** Milliseconds after which an upstream is measured again. */
const FRESH_MS = 60_000;

/** Counts calls in flight and measures times to the first byte, for the strategies `least-busy` and `fastest`. */
export class UpstreamStats {
  private readonly figures = new Map<string, Figures>();

  constructor(private readonly now: () => number = Date.now) {}

  begin(upstream: string): void {
    this.of(upstream).inFlight += 1;
  }

  end(upstream: string): void {
    const figures = this.of(upstream);
    figures.inFlight = Math.max(0, figures.inFlight - 1);
  }

  /** Records the time to the first byte of a response. */
  measure(upstream: string, milliseconds: number): void {
    const figures = this.of(upstream);
    const before = figures.firstByteMs;
    figures.firstByteMs = before === undefined ? milliseconds : before + SMOOTHING * (milliseconds - before);
    figures.measuredAt = this.now();
  }

  inFlight(upstream: string): number {
    return this.figures.get(upstream)?.inFlight ?? 0;
  }

  /** Returns the smoothed milliseconds to the first byte; 0 if they are unknown or old, so that they are measured. */
  firstByteMs(upstream: string): number {
    const figures = this.figures.get(upstream);
    if (figures?.firstByteMs === undefined || this.now() - figures.measuredAt > FRESH_MS) return 0;
    return figures.firstByteMs;
  }

  private of(upstream: string): Figures {
    let figures = this.figures.get(upstream);
    if (figures === undefined) {
      figures = { inFlight: 0, firstByteMs: undefined, measuredAt: 0 };
      this.figures.set(upstream, figures);
    }
    return figures;
  }
}
