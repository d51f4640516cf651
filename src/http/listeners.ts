import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { systemErrorCode } from "../errors.ts";
import { CONNECTION_LIMITS, closeUnused } from "./connection-limits.ts";
import { BACKLOG, getPort, listenFailure, RETRY_DELAY_MS } from "./listen.ts";
import { refuseUnreadable } from "./refuse-unreadable.ts";

export interface ListenerOptions {
  readonly port: number;
  readonly host: string;
  /** Additional addresses to bind on the same port; `::1` is skipped without IPv6. */
  readonly alsoOn?: readonly string[] | undefined;
  readonly retries: number;
  /**
   * Returns the next port to try. Set only if the server may use any port. Without it, the same port is retried after a
   * delay.
   */
  readonly nextPort?: (() => Promise<number>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each accepted connection. */
  readonly onConnection?: ((socket: Socket) => void) | undefined;
  /** Called before each retry of the same port, with a message. */
  readonly onRetry?: ((message: string) => void) | undefined;
}

/** The bound sockets of a server that may not be loaded yet. */
export interface Listeners {
  readonly port: number;
  /** Lets the app serve requests: first those that arrived before it was loaded, in order, then new ones. */
  respondWith(app: FastifyInstance): Promise<void>;
  /** Closes all listeners and their connections. */
  close(): void;
}

type Call = readonly [IncomingMessage, ServerResponse];

/**
 * Binds the addresses before the server is loaded, so that the URL can be printed and the browser started early;
 * requests wait in the meantime. Only a port in use is retried, and then on all addresses, because `localhost` may
 * resolve to IPv4 or IPv6. Throws `port_in_use` after the last retry, and `cannot_listen` for another error of the
 * system.
 */
export async function openListeners(options: ListenerOptions): Promise<Listeners> {
  const waiting: Call[] = [];
  let respond = (...call: Call): void => {
    waiting.push(call);
  };
  const servers = await bindWithRetries(options, (...call) => respond(...call));
  const { onConnection } = options;
  if (onConnection) for (const server of servers) server.on("connection", onConnection);
  return {
    port: getPort(servers[0]) ?? options.port,
    async respondWith(app) {
      await app.ready();
      respond = (request, response) => app.routing(request, response);
      for (const call of waiting.splice(0)) respond(...call);
    },
    close: () => closeAll(servers),
  };
}

async function bindWithRetries(
  options: ListenerOptions,
  respond: (...call: Call) => void,
): Promise<Server[]> {
  let { port } = options;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await bindAll([options.host, ...(options.alsoOn ?? [])], port, respond);
    } catch (error) {
      const isTaken = systemErrorCode(error) === "EADDRINUSE";
      if (!isTaken || attempt >= options.retries) throw listenFailure(error, { ...options, port });
      port = await portAfter(port, options);
    }
  }
}

async function portAfter(port: number, { nextPort, onRetry, signal }: ListenerOptions): Promise<number> {
  if (nextPort) return nextPort();
  onRetry?.(`Port ${port} in use`);
  await delay(RETRY_DELAY_MS, undefined, signal ? { signal } : {});
  return port;
}

const NO_IPV6 = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL"]);

async function bindAll(hosts: readonly string[], port: number, respond: (...call: Call) => void) {
  const servers: Server[] = [];
  for (const host of hosts) {
    try {
      servers.push(await bind(host, getPort(servers[0]) ?? port, respond));
    } catch (error) {
      if (host === "::1" && NO_IPV6.has(systemErrorCode(error) ?? "")) continue;
      closeAll(servers);
      throw error;
    }
  }
  return servers;
}

function bind(host: string, port: number, respond: (...call: Call) => void): Promise<Server> {
  const server = createServer(CONNECTION_LIMITS, respond);
  closeUnused(server);
  server.on("clientError", refuseUnreadable);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: BACKLOG }, () => resolve(server));
  });
}

function closeAll(servers: readonly Server[]): void {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}
