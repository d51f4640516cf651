import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** Milliseconds between two checks. */
const LOOK_MS = 20;

/**
 * Creates a function that drains the server: it stops accepting connections, and resolves when `isServing` returns
 * false and all response bytes have been passed to the operating system, which delivers them.
 */
export function createDraining(server: Server, isServing: () => boolean): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const isSending = () => [...sockets].some(({ writableLength }) => writableLength > 0);
  return async () => {
    // `http.Server.close` would also close connections whose response has ended but has not been sent to a slow
    // client.
    NetServer.prototype.close.call(server);
    while (isServing() || isSending()) {
      if (!isSending()) server.closeIdleConnections();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    server.closeIdleConnections();
  };
}
