/** The number of failures within `WINDOW_MS` that opens the circuit. */
const FAILURES = 5;
const WINDOW_MS = 30_000;
/** Milliseconds of the first cooldown. Each failed probe doubles the cooldown. */
const PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 300_000;
/** Milliseconds after which a probe without an outcome is abandoned. */
const PROBE_MS = 300_000;

interface Circuit {
  /** Times of the last failures in milliseconds since 1970, oldest first. */
  failures: number[];
  /** Milliseconds since 1970 at which the cooldown ends; 0 if the circuit is closed. */
  until: number;
  pauseMs: number;
  /** Milliseconds since 1970 at which the running probe began; 0 if there is none. */
  probeAt: number;
  /** The status of the last failure; undefined if there was no response or it broke off. */
  status: number | undefined;
}

/** An upstream whose circuit is open. */
export interface OpenCircuit {
  readonly upstream: string;
  readonly until: number;
  readonly status: number | undefined;
}

/** The state of a circuit whose cooldown has just begun or been prolonged. */
export type OpenedCircuit = Readonly<Pick<Circuit, "until" | "pauseMs" | "status">>;

/**
 * Tracks which upstreams fail repeatedly, so that calls do not try them first. After five failures in 30 s without a
 * success, an upstream is in cooldown for 30 s. Then one call at a time probes it: a failure doubles the cooldown, up
 * to 5 min, and a success ends it. `now` returns milliseconds since 1970.
 */
export class CircuitBreaker {
  private readonly circuits = new Map<string, Circuit>();

  constructor(private readonly now: () => number) {}

  /** Records a failure. Returns the circuit if the failure has opened it, or has prolonged its cooldown. */
  fail(upstream: string, status: number | undefined): OpenedCircuit | undefined {
    const now = this.now();
    const circuit = this.circuits.get(upstream) ?? {
      failures: [],
      until: 0,
      pauseMs: PAUSE_MS,
      probeAt: 0,
      status,
    };
    this.circuits.set(upstream, circuit);
    circuit.status = status;
    if (circuit.until > 0) {
      // During the cooldown, failures come from calls that began earlier or have no other target left.
      if (now < circuit.until) return undefined;
      circuit.pauseMs = Math.min(2 * circuit.pauseMs, MAX_PAUSE_MS);
      circuit.until = now + circuit.pauseMs;
      circuit.probeAt = 0;
      return circuit;
    }
    circuit.failures = [...circuit.failures, now].filter((at) => at > now - WINDOW_MS).slice(-FAILURES);
    if (circuit.failures.length < FAILURES) return undefined;
    circuit.until = now + circuit.pauseMs;
    return circuit;
  }

  /** Records a success. Returns whether it has closed an open circuit. */
  succeed(upstream: string): boolean {
    if (this.circuits.size === 0) return false;
    const wasOpen = (this.circuits.get(upstream)?.until ?? 0) > 0;
    this.circuits.delete(upstream);
    return wasOpen;
  }

  /** Opens a circuit that another replica has opened, unless this replica's own circuit stays open at least as long. */
  adopt(upstream: string, { until, pauseMs, status }: OpenedCircuit): void {
    if ((this.circuits.get(upstream)?.until ?? 0) >= until) return;
    this.circuits.set(upstream, { failures: [], until, pauseMs, probeAt: 0, status });
  }

  /** Records that an attempt ended without showing whether the upstream works. */
  release(upstream: string): void {
    const circuit = this.circuits.get(upstream);
    if (circuit) circuit.probeAt = 0;
  }

  /** Returns whether calls should try other upstreams first. */
  isOpen(upstream: string): boolean {
    const circuit = this.circuits.get(upstream);
    if (circuit === undefined || circuit.until === 0) return false;
    const now = this.now();
    return now < circuit.until || (circuit.probeAt > 0 && now < circuit.probeAt + PROBE_MS);
  }

  /** Records that a call is about to try this upstream. After the cooldown, that call is the probe. */
  begin(upstream: string): void {
    const circuit = this.circuits.get(upstream);
    if (circuit && circuit.until > 0 && this.now() >= circuit.until) circuit.probeAt = this.now();
  }

  /** Whether no upstream has failed since its last success. */
  get isIdle(): boolean {
    return this.circuits.size === 0;
  }

  list(): OpenCircuit[] {
    return [...this.circuits].flatMap(([upstream, { until, status }]) =>
      until > 0 ? [{ upstream, until, status }] : [],
    );
  }

  clear(): void {
    this.circuits.clear();
  }
}
