import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * What both servers grant a connection. Node needs the three timeouts (milliseconds) together: `requestTimeout` alone
 * does nothing before `headersTimeout` has passed, and both are looked at only every `connectionsCheckingInterval`.
 */
export const CONNECTION_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  /**
   * Longer than clients keep a connection that they do not use (undici 4 s, Go and Rust's reqwest 90 s), so that it is they
   * who close it: a request that is on its way while we do is lost, and few clients send it again.
   */
  keepAliveTimeout: 120_000,
  connectionsCheckingInterval: 2_000,
  /** Bytes. */
  maxHeaderSize: 32_768,
} as const;

/**
 * Closes connections that nobody has used for `keepAliveTimeout`, but for those with a request that has arrived and was not
 * read yet: in a process that had to wait for its turn, timers run before sockets are looked at, and Node would reset it.
 */
export function closeUnused(server: Server): void {
  server.on("timeout", (socket: Socket) => {
    const { bytesRead } = socket;
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}
