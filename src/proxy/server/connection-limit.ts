import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionCapacity } from "./connection-capacity.ts";

/** Milliseconds after which a connection above the limit is closed. */
const ABOVE_LIMIT_MS = 5_000;

/** Tracks which connections are above the limit. */
export interface ConnectionLimit {
  /** Counts the server's connections from now on. */
  watch(server: Server): void;
  isAbove(socket: Socket): boolean;
}

/**
 * Creates a limit that accepts connections above it for one request each, so that probes and a 503 can be sent. When
 * the reserve is full, its oldest connection is closed. Replaces `maxConnections`, which resets connections and, in a
 * worker of node:cluster, passes them around in a busy loop while all workers are full.
 */
export function createConnectionLimit({ connections, reserve }: ConnectionCapacity): ConnectionLimit {
  let within = 0;
  const above = new Set<Socket>();
  const admitAbove = (socket: Socket) => {
    if (above.size >= reserve) {
      const [oldest] = above;
      if (oldest) above.delete(oldest);
      oldest?.destroy();
    }
    above.add(socket);
    const timer = setTimeout(() => socket.destroy(), ABOVE_LIMIT_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      above.delete(socket);
    });
  };
  return {
    watch(server) {
      server.on("connection", (socket: Socket) => {
        if (within >= connections) {
          admitAbove(socket);
          return;
        }
        within += 1;
        socket.once("close", () => {
          within -= 1;
        });
      });
    },
    // Called for every request; most of the time the set is empty.
    isAbove: (socket) => above.size > 0 && above.has(socket),
  };
}
