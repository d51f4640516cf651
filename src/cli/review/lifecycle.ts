import { constants } from "node:os";

/** The reason why a command ends before its work is done. */
export type ExitReason =
  | { readonly reason: "signal"; readonly signal: NodeJS.Signals }
  | { readonly reason: "caller-gone" | "timeout" };

export interface Lifecycle {
  /** Aborted when the command has to stop. Its reason is an `AbortError` with the `exitReason`. */
  readonly signal: AbortSignal;
  readonly exitReason: ExitReason | undefined;
  /** Ends the command this many seconds from now. Replaces any earlier limit; undefined removes it. */
  stopAfter(seconds: number | undefined): void;
  /** Stops listening for these events, and restores the default handling of signals. */
  dispose(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const PARENT_WATCH_MS = 1_000;
const CLOSE_LIMIT_MS = 2_000;

/**
 * Listens for events that end a command: signals, a time limit, and the end of the parent process (another process
 * then adopts this one). The exit is forced 2 s after a signal if the command has not ended, and at any signal after
 * the first event.
 */
export function startLifecycle({ outlivesParent = false } = {}): Lifecycle {
  const controller = new AbortController();
  let exitReason: ExitReason | undefined;
  let timeLimit: NodeJS.Timeout | undefined;
  const stop = (next: ExitReason) => {
    if (exitReason) return;
    exitReason = next;
    controller.abort(new Stopped(next));
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (exitReason) return force(signal);
    setTimeout(() => force(signal), CLOSE_LIMIT_MS).unref();
    stop({ reason: "signal", signal });
  };
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (!outlivesParent && process.ppid !== parent) stop({ reason: "caller-gone" });
  }, PARENT_WATCH_MS);
  watch.unref();
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const dispose = () => {
    clearInterval(watch);
    clearTimeout(timeLimit);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  const force = (signal: NodeJS.Signals) => {
    dispose();
    process.kill(process.pid, signal);
  };
  return {
    signal: controller.signal,
    get exitReason() {
      return exitReason;
    },
    stopAfter(seconds) {
      clearTimeout(timeLimit);
      if (seconds === undefined) return;
      timeLimit = setTimeout(() => stop({ reason: "timeout" }), seconds * 1_000);
    },
    dispose,
  };
}

/** The error that rejects pending work when the command has to stop. */
class Stopped extends Error {
  readonly exitReason: ExitReason;

  constructor(exitReason: ExitReason) {
    super(`stopped: ${exitReason.reason}`);
    this.name = "AbortError";
    this.exitReason = exitReason;
  }
}

/**
 * Returns the exit code: 128 + n for a signal, 124 for the time limit (as timeout(1)), and 129 (SIGHUP) if the caller
 * has ended.
 */
export function getExitCode(exitReason: ExitReason): number {
  if (exitReason.reason === "timeout") return 124;
  return 128 + constants.signals[exitReason.reason === "signal" ? exitReason.signal : "SIGHUP"];
}
