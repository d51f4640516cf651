const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host to listen on is this machine's own, so that no other machine reaches it. IPv6 with or without brackets. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
