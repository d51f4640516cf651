/** A call that may wait for a connection. */
export interface WaitingCall {
  /** Fails the call unless its answer has begun. */
  onWaitOver(): void;
}

/**
 * Limits how long a call waits for a connection and then for its answer together. undici's own limit begins when the request is
 * on a connection. Only for pools that have no free connection, as `dispatch` returns: other calls need no second timer.
 */
export function limitWait(call: WaitingCall, firstByteMs: number): void {
  if (firstByteMs > 0) setTimeout(() => call.onWaitOver(), firstByteMs).unref();
}
