import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { systemErrorCode } from "../errors.ts";
import { CONNECTION_LIMITS, closeUnused } from "./connection-limits.ts";
import { listenFailure, portOf, RETRY_DELAY_MS } from "./listen.ts";
import { refuseUnreadable } from "./refuse-unreadable.ts";

export interface DoorOptions {
  readonly port: number;
  readonly host: string;
  /** Further addresses that answer on the same port; `::1` is left out where there is no IPv6. */
  readonly alsoOn?: readonly string[];
  readonly retries: number;
  /** Where any port will do: the next one to try, at once. Without it the same one is tried again after a wait. */
  readonly nextPort?: () => Promise<number>;
  readonly signal?: AbortSignal;
  /** Called with each connection as soon as it is accepted. */
  readonly onConnection?: (socket: Socket) => void;
  /** Told before each new try, with the message that is specified. */
  readonly onRetry?: (message: string) => void;
}

/** The addresses of a server that may not be there yet. */
export interface Doors {
  readonly port: number;
  /** Lets the app answer: those who came before it, in their order, and everybody from now on. */
  answerWith(app: FastifyInstance): Promise<void>;
  /** Shuts all addresses and ends their connections. */
  close(): void;
}

type Call = readonly [IncomingMessage, ServerResponse];

/**
 * Binds the addresses before there is anything that answers, so that the URL can be told and the browser be on its way
 * while the server is still being loaded; whoever calls meanwhile waits. Only a taken port is retried; taken on one
 * address is taken, since a person's `localhost` may lead to either. Throws `port_in_use` when the retries are used
 * up, `cannot_listen` for any other reason.
 */
export async function openDoors(options: DoorOptions): Promise<Doors> {
  const waiting: Call[] = [];
  let answer = (...call: Call): void => {
    waiting.push(call);
  };
  const servers = await bindWithRetries(options, (...call) => answer(...call));
  const { onConnection } = options;
  if (onConnection) for (const server of servers) server.on("connection", onConnection);
  return {
    port: portOf(servers[0]) ?? options.port,
    async answerWith(app) {
      await app.ready();
      answer = (request, response) => app.routing(request, response);
      for (const call of waiting.splice(0)) answer(...call);
    },
    close: () => closeAll(servers),
  };
}

async function bindWithRetries(options: DoorOptions, answer: (...call: Call) => void): Promise<Server[]> {
  let { port } = options;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await bindAll([options.host, ...(options.alsoOn ?? [])], port, answer);
    } catch (error) {
      const isTaken = systemErrorCode(error) === "EADDRINUSE";
      if (!isTaken || attempt >= options.retries) throw listenFailure(error, options);
      port = await portAfter(port, options);
    }
  }
}

async function portAfter(port: number, { nextPort, onRetry, signal }: DoorOptions): Promise<number> {
  if (nextPort) return nextPort();
  onRetry?.(`Port ${port} in use`);
  await delay(RETRY_DELAY_MS, undefined, signal ? { signal } : {});
  return port;
}

const NO_IPV6 = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL"]);

async function bindAll(hosts: readonly string[], port: number, answer: (...call: Call) => void) {
  const servers: Server[] = [];
  for (const host of hosts) {
    try {
      servers.push(await bind(host, portOf(servers[0]) ?? port, answer));
    } catch (error) {
      if (host === "::1" && NO_IPV6.has(systemErrorCode(error) ?? "")) continue;
      closeAll(servers);
      throw error;
    }
  }
  return servers;
}

function bind(host: string, port: number, answer: (...call: Call) => void): Promise<Server> {
  const server = createServer(CONNECTION_LIMITS, answer);
  closeUnused(server);
  server.on("clientError", refuseUnreadable);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => resolve(server));
  });
}

function closeAll(servers: readonly Server[]): void {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}
