import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { Server as TlsServer } from "node:tls";

/** The number of connections that a server accepts. */
export interface ConnectionCapacity {
  readonly connections: number;
  /** Further connections that are accepted for one request each: probes are served, other requests receive a 503. */
  readonly reserve: number;
}

const MAX_RESERVE = 256;
/** File descriptors for files, pipes, listeners and Node.js itself. A proxy without calls uses 25 to 35. */
const OWN_DESCRIPTORS = 40;

/**
 * Returns the number of connections that the process's file descriptors allow, up to the configured number, and a
 * reserve. Each call needs two descriptors, for the client's connection and the upstream's.
 */
export function capacityFor(configured: number, descriptors: number): ConnectionCapacity {
  const available = Math.max(0, descriptors - OWN_DESCRIPTORS);
  const reserve = Math.max(1, Math.min(MAX_RESERVE, Math.floor(available / 8)));
  const affordable = Math.max(1, Math.floor((available - reserve) / 2));
  return { connections: Math.min(configured, affordable), reserve };
}

/** Returns the limit of open files of this process; Infinity if it is unknown, as on every system except Linux. */
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
  /** Starts to count the server's connections. */
  watch(server: Server): void;
  isAbove(socket: Socket): boolean;
}

/**
 * Creates a limit of connections. Connections above the limit are accepted for one request each, so that probes are
 * served and other requests receive a 503. When the reserve is full, its oldest connection is closed. Node.js's own
 * `maxConnections` is not used, because it resets connections and, in workers of node:cluster, passes connections
 * around in a busy loop while all workers are full.
 */
export function createConnectionLimit({ connections, reserve }: ConnectionCapacity): ConnectionLimit {
  let within = 0;
  // The keys are client addresses with ports, because with TLS a request's socket is not the socket of its connection.
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
    // The size is checked first, because this function is called for every request and the map is usually empty.
    isAbove: (socket) => above.size > 0 && above.has(formatAddress(socket)),
  };
}

function formatAddress({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Milliseconds between two checks for running calls. */
const POLL_MS = 20;

/**
 * Resolves after Node.js has read the requests that have arrived and has accepted a waiting connection. When a listener
 * or connection is closed, the operating system discards the connections or requests that wait there.
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
  /** Accepts the connections that wait, for up to 1 s, and then closes the listener. Resolves when it is closed. */
  refuse(): Promise<void>;
  /**
   * Stops accepting connections, and resolves when all running calls have been served. Calls that arrive during this
   * time over open connections are served as well, because a load balancer may still send calls over them.
   */
  drain(): Promise<void>;
  /**
   * Stops accepting connections. Resolves when all connections have ended, or when no call is running after the
   * keep-alive timeout. Until then, idle connections stay open, because closing them immediately could lose a call in
   * transit.
   */
  retire(): Promise<void>;
}

/**
 * Creates the functions that stop a server. `isServing` returns whether a call is running. A call has been served once
 * the operating system has received all bytes of its response, which it then delivers.
 */
export function createDraining(server: Server, isServing: () => boolean): Draining {
  let stopping = false;
  const sockets = new Set<Socket>();
  // With TLS, only the decrypted socket reports the unsent bytes of responses.
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
  /** Accepts the waiting connections. Node.js accepts one in each turn of the event loop. */
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
  const stopAccepting = async () => {
    announceStop();
    await acceptWaiting();
    // Closes the listening socket before it returns.
    stopListening();
  };
  let refused: Promise<void> | undefined;
  const refuse = () => {
    refused ??= stopAccepting();
    return refused;
  };
  return {
    announceStop,
    isStopping: () => stopping,
    refuse,
    async drain() {
      await refuse();
      // Idle connections stay open until no call is running: each can carry one more call, whose response closes it.
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
