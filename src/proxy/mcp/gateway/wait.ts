import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../../errors.ts";

/** The outcome of a promise. */
export type Settled<Value> =
  | { readonly isDone: true; readonly value: Value }
  | { readonly isDone: false; readonly error: unknown };

/** Resolves with the outcome of a promise, or with undefined if it takes longer than `ms`. */
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

/** Returns the error of a request that its client has cancelled. */
export function createCancellation(): AppError {
  return new AppError("client_gone", "The client has cancelled the request");
}

/** Resolves as a promise does. Rejects with the error of `createError` if the signal aborts first. */
export function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  createError: () => AppError = createCancellation,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(createError());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Milliseconds before a stream is opened again; doubled after each failure. */
const REOPEN_MS = 1_000;
const MAX_REOPEN_MS = 60_000;

/** How a stream ended: as it may, without having begun, or because the server does not have it. */
export type StreamEnd = "ended" | "failed" | "unavailable";

/** Keeps a server's stream open until the signal aborts, or the server does not have it. */
export async function keepOpen(
  open: () => Promise<StreamEnd>,
  signal: AbortSignal,
  pause = (ms: number): Promise<void> => delay(ms, undefined, { signal, ref: false }).catch(() => {}),
): Promise<void> {
  let wait = REOPEN_MS;
  while (!signal.aborted) {
    const end = await open().catch((error: unknown): StreamEnd => {
      return error instanceof AppError ? "failed" : "unavailable";
    });
    if (end === "unavailable") return;
    if (end === "ended") wait = REOPEN_MS;
    await pause(wait);
    wait = Math.min(wait * 2, MAX_REOPEN_MS);
  }
}
