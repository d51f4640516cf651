import type { AppError } from "../../errors.ts";
import { onlyInterim, waitedTooLong } from "./upstream-errors.ts";

/** A call that may wait for a connection. */
export interface WaitingCall {
  /** Fails the call with this error unless its answer has begun. */
  onWaitOver(error: AppError): void;
}

/**
 * Limits how long a call waits for a connection and then for its answer together. undici's own limit begins when the request is
 * on a connection. Only for pools that have no free connection, as `dispatch` returns: other calls need no second timer.
 */
export function limitWait(call: WaitingCall, upstream: string, firstByteMs: number): void {
  if (firstByteMs > 0) setTimeout(() => call.onWaitOver(waitedTooLong(upstream)), firstByteMs).unref();
}

/** Calls whose first interim response has come. */
const limited = new WeakSet<WaitingCall>();

/**
 * Limits how long interim responses (1xx) may go on, each of which begins undici's own limit again. `startedAt`: when the call was dispatched.
 */
export function limitInterim(
  call: WaitingCall,
  upstream: string,
  startedAt: number,
  firstByteMs: number,
): void {
  if (firstByteMs <= 0 || limited.has(call)) return;
  limited.add(call);
  const left = startedAt + firstByteMs - performance.now();
  setTimeout(() => call.onWaitOver(onlyInterim(upstream)), left).unref();
}
