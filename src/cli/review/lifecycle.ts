import { constants } from "node:os";

/** Why a command ends before its work is done. */
export type ExitReason =
  | { readonly reason: "signal"; readonly signal: NodeJS.Signals }
  | { readonly reason: "caller-gone" | "timeout" };

export interface Lifecycle {
  /** Aborted, with an `ExitReason` as its reason, when the command has to stop. */
  readonly signal: AbortSignal;
  readonly exitReason: ExitReason | undefined;
  /** Ends the command after so many seconds from now, whatever was said before; undefined takes the limit away. */
  stopAfter(seconds: number | undefined): void;
  /** Gives signals their ordinary meaning back. */
  dispose(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const PARENT_WATCH_MS = 1_000;
const CLOSE_LIMIT_MS = 2_000;

/**
 * Listens for what ends a command from outside: signals, a time limit, and the death of the program that started it
 * (its process is then adopted by another). A second signal, or 2 s without an end, ends the process by force.
 */
export function startLifecycle(): Lifecycle {
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
    if (process.ppid !== parent) stop({ reason: "caller-gone" });
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

/** Thrown by whatever was waiting when the command had to stop. */
class Stopped extends Error {
  readonly exitReason: ExitReason;

  constructor(exitReason: ExitReason) {
    super(`stopped: ${exitReason.reason}`);
    this.name = "AbortError";
    this.exitReason = exitReason;
  }
}

/** 128 + n for a signal, 124 for the time limit (as timeout(1)), and SIGHUP's 129 when nobody is left to tell. */
export function exitCodeOf(exitReason: ExitReason): number {
  if (exitReason.reason === "timeout") return 124;
  return 128 + constants.signals[exitReason.reason === "signal" ? exitReason.signal : "SIGHUP"];
}
