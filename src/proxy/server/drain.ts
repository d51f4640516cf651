import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** Milliseconds between two looks. */
const LOOK_MS = 20;

/**
 * Gives what ends a server's work: it takes no new connection, and resolves when all that `isServing` tells of has been
 * served and its bytes are with the system, which sees to it that they arrive.
 */
export function createDraining(server: Server, isServing: () => boolean): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const isSending = () => [...sockets].some(({ writableLength }) => writableLength > 0);
  return async () => {
    // `http.Server` closes connections besides whose answer was ended, though a slow client may not have all of it.
    NetServer.prototype.close.call(server);
    while (isServing() || isSending()) {
      if (!isSending()) server.closeIdleConnections();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    server.closeIdleConnections();
  };
}
