import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../../errors.ts";

/** The outcome of a promise. */
export type Settled<Value> =
  | { readonly isDone: true; readonly value: Value }
  | { readonly isDone: false; readonly error: unknown };

/** Resolves with the outcome of a promise, or with undefined if the promise takes longer than `ms` milliseconds. */
export function settledWithin<Value>(
  promise: Promise<Value>,
  ms: number,
): Promise<Settled<Value> | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    const settle = (outcome: Settled<Value>) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    promise.then(
      (value) => settle({ isDone: true, value }),
      (error: unknown) => settle({ isDone: false, error }),
    );
  });
}

/**
 * Settles like a promise, but rejects with the error of `createError`, by default the signal's reason, if the signal
 * aborts first.
 */
export function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  createError: () => unknown = () => signal.reason,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(createError());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Milliseconds before a task is repeated. The time doubles with each `later` in a row. */
const REPEAT_MS = 1_000;
const MAX_REPEAT_MS = 60_000;

/** Whether a task is repeated: after the shortest wait, after a wait that doubles each time, or not at all. */
export type Repeat = "soon" | "later" | "never";

/**
 * Repeats a task as its result requests, until the signal aborts. A rejection with an `AppError` counts as `later`, any
 * other rejection as `never`.
 */
export async function repeatTask(
  task: () => Promise<Repeat>,
  signal: AbortSignal,
  pause = (ms: number): Promise<void> => delay(ms, undefined, { signal, ref: false }).catch(() => {}),
): Promise<void> {
  let wait = REPEAT_MS;
  while (!signal.aborted) {
    const repeat = await task().catch((error: unknown): Repeat => {
      return error instanceof AppError ? "later" : "never";
    });
    if (repeat === "never") return;
    if (repeat === "soon") wait = REPEAT_MS;
    await pause(wait);
    if (repeat === "later") wait = Math.min(wait * 2, MAX_REPEAT_MS);
  }
}
