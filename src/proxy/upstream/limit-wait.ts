import type { AppError } from "../../errors.ts";
import { createInterimTimeoutError, createTimeoutError } from "./upstream-errors.ts";

/** A call that may wait for a connection. */
export interface WaitingCall {
  /** Fails the call with this error unless its response has begun. */
  onWaitOver(error: AppError): void;
}

/**
 * Limits the total time that a call waits for a connection and for its response; undici's own limit begins when the
 * request has a connection. Call it only if `dispatch` returns false, that is, if no connection is free. Other calls
 * need no second timer.
 */
export function limitWait(call: WaitingCall, upstream: string, firstByteMs: number): void {
  if (firstByteMs > 0) setTimeout(() => call.onWaitOver(createTimeoutError(upstream)), firstByteMs).unref();
}

/** Calls that have received an interim response. */
const limited = new WeakSet<WaitingCall>();

/**
 * Limits the time in which interim responses (1xx) may arrive, each of which restarts undici's own limit. `startedAt`
 * is the `performance.now()` at which the call was dispatched.
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
  setTimeout(() => call.onWaitOver(createInterimTimeoutError(upstream)), left).unref();
}
