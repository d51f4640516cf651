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

/** Resolves as a promise does. Rejects with `client_gone` if the signal aborts first. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new AppError("client_gone", "The client has cancelled the request"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
