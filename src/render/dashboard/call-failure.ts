/** Returns whether the client disconnected before the response was complete. */
export function isDisconnect(status: number, errorCode: string | null | undefined): boolean {
  return status === 499 || errorCode === "client_gone";
}

/**
 * Returns whether a call counts as an error. A stream may fail after its status was sent. A client disconnect does not
 * count, because neither the proxy nor the upstream has failed.
 */
export function isFailure(status: number, errorCode: string | null | undefined): boolean {
  return !isDisconnect(status, errorCode) && (status >= 400 || Boolean(errorCode));
}
