import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionCapacity } from "./connection-capacity.ts";

/** Milliseconds for which a connection above the limit stays open, whatever it does. */
const ABOVE_LIMIT_MS = 5_000;

/** Tells which connections are above the limit. */
export interface ConnectionLimit {
  /** Counts the connections of a server from now on. */
  watch(server: Server): void;
  isAbove(socket: Socket): boolean;
}

/**
 * Accepts connections above the limit for one request each, so that probes and a 503 can be answered. When the reserve is
 * full, the oldest connection in it is closed. In place of `maxConnections`, which resets connections, and in a worker of
 * node:cluster passes them round without a pause while all workers are full.
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
    // Every call asks: most of the time the set is empty.
    isAbove: (socket) => above.size > 0 && above.has(socket),
  };
}
