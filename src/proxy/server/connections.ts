import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { Server as TlsServer } from "node:tls";

/** How many connections a server accepts. */
export interface ConnectionCapacity {
  readonly connections: number;
  /** Connections above `connections` that are accepted for one request: probes are served, other requests get 503. */
  readonly reserve: number;
}

const MAX_RESERVE = 256;
/** File descriptors of files, pipes, listeners and Node.js itself: 25 to 35 are in use without calls. */
const OWN_DESCRIPTORS = 40;

/**
 * Returns the number of connections that the process's file descriptors allow, at most the configured one. Each call
 * takes two, for the client's connection and the upstream's.
 */
export function capacityFor(configured: number, descriptors: number): ConnectionCapacity {
  const available = Math.max(0, descriptors - OWN_DESCRIPTORS);
  const reserve = Math.max(1, Math.min(MAX_RESERVE, Math.floor(available / 8)));
  const affordable = Math.max(1, Math.floor((available - reserve) / 2));
  return { connections: Math.min(configured, affordable), reserve };
}

/** Returns the limit of open files of this process; Infinity where it is not known (all systems but Linux). */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

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
  // By the client's address: with TLS, a request's socket is another one than that of its connection.
  const above = new Map<string, Socket>();
  const admitAbove = (socket: Socket) => {
    const address = formatAddress(socket);
    if (above.size >= reserve) {
      const [oldest] = above;
      if (oldest) above.delete(oldest[0]);
      oldest?.[1].destroy();
    }
    above.set(address, socket);
    const timer = setTimeout(() => socket.destroy(), ABOVE_LIMIT_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      if (above.get(address) === socket) above.delete(address);
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
    // Called for every request; most of the time the map is empty.
    isAbove: (socket) => above.size > 0 && above.has(formatAddress(socket)),
  };
}

function formatAddress({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Milliseconds between two checks. */
const POLL_MS = 20;

/**
 * Resolves after Node.js has read the requests that had arrived, and accepted a connection. The system resets those of a
 * closed listener or connection: hundreds at once, if the process is busy.
 */
function afterPoll(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Maximum milliseconds during which waiting connections are accepted before the listener closes. */
const MAX_ACCEPT_MS = 1_000;

/** Stops a server without losing calls. */
export interface Draining {
  /** Makes every response close its connection; calls are still served. */
  announceStop(): void;
  isStopping(): boolean;
  /**
   * Stops accepting connections, and resolves when all running calls have been served. Calls that arrive during this
   * time over connections that were already open are served as well: a load balancer cannot know that the proxy has
   * stopped listening.
   */
  drain(): Promise<void>;
  /**
   * Stops accepting connections, and resolves when all connections have ended. Idle connections of clients may still
   * send a call for the keep-alive timeout: closing them immediately could lose a call in transit.
   */
  retire(): Promise<void>;
}

/**
 * Creates the functions that stop a server. `isServing` returns whether a call is running. A call has ended once all
 * bytes of its response are passed to the operating system, which delivers them.
 */
export function createDraining(server: Server, isServing: () => boolean): Draining {
  let stopping = false;
  const sockets = new Set<Socket>();
  // With TLS, only the decrypted side has the bytes of responses.
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const isSending = () => [...sockets].some(({ writableLength }) => writableLength > 0);
  // `http.Server.close` would also close connections whose response has ended but has not been sent to a slow client.
  const stopListening = () => NetServer.prototype.close.call(server);
  let accepted = 0;
  server.on("connection", () => {
    accepted += 1;
  });
  /** Accepts the connections that wait. Node.js accepts one in each turn of the event loop. */
  const acceptWaiting = async () => {
    const until = performance.now() + MAX_ACCEPT_MS;
    for (let last = -1; last !== accepted && performance.now() < until; ) {
      last = accepted;
      await afterPoll();
    }
  };
  const announceStop = () => {
    if (stopping) return;
    stopping = true;
    // Clients reconnect after the response, and the load balancer sends them to another replica.
    server.prependListener("request", (_request, response) => {
      response.shouldKeepAlive = false;
    });
  };
  return {
    announceStop,
    isStopping: () => stopping,
    async drain() {
      announceStop();
      await acceptWaiting();
      stopListening();
      // Idle connections stay open until then: each may carry one more call, whose response closes it.
      do {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        await afterPoll();
      } while (isServing() || isSending());
      server.closeIdleConnections();
    },
    async retire() {
      announceStop();
      stopListening();
      const idleUntil = performance.now() + server.keepAliveTimeout;
      while (sockets.size > 0 && (isServing() || isSending() || performance.now() < idleUntil))
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
  };
}
