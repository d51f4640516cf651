import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Limits of a connection, for all servers. Times are in milliseconds. `requestTimeout` has no effect before
 * `headersTimeout` has passed, and Node.js checks both only every `connectionsCheckingInterval`.
 */
export const CONNECTION_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  /**
   * Longer than the time for which clients keep idle connections (undici 4 s, Go and reqwest 90 s), so that the clients
   * close them first: few clients retry a request that was in flight when the server closed the connection.
   */
  keepAliveTimeout: 120_000,
  connectionsCheckingInterval: 2_000,
  /** Bytes. */
  maxHeaderSize: 32_768,
} as const;

/**
 * Closes connections that have been idle for `keepAliveTimeout`, except those with an unread request: in a delayed
 * process, timers run before sockets are polled, and Node would reset such a connection.
 */
export function closeUnused(server: Server): void {
  server.on("timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}
