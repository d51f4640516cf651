import type { AppError } from "../../errors.ts";
import { createInterimTimeoutError, createTimeoutError } from "./upstream-errors.ts";

/** A call that may wait for a connection. */
export interface WaitingCall {
  /** Fails the call with this error unless its response has begun. */
  onWaitOver(error: AppError): void;
}

/**
 * Limits the total time in which a call waits for a connection and for its response. undici's own limit starts only
 * when the request has a connection. Call this function only if `dispatch` returns false, which means that no
 * connection is free.
 */
export function limitWait(call: WaitingCall, upstream: string, firstByteMs: number): void {
  if (firstByteMs > 0) setTimeout(() => call.onWaitOver(createTimeoutError(upstream)), firstByteMs).unref();
}

/** Calls whose interim responses are already limited. */
const limited = new WeakSet<WaitingCall>();

/**
 * Limits the time in which a call may receive nothing but interim responses (1xx), because each of them restarts
 * undici's own limit. `startedAt` is the `performance.now()` at which the call was dispatched.
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
