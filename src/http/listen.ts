import { createServer, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { AppError, systemErrorCode } from "../errors.ts";

/** Spec, section 8: a taken port is tried again this often, this many milliseconds apart. */
export const MAX_RETRIES = 5;
export const RETRY_DELAY_MS = 500;

export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  /** Further addresses that answer on the same port; `::1` is left out where there is no IPv6. */
  readonly alsoOn?: readonly string[];
  readonly retries: number;
  /** Where any port will do: the next one to try, at once. Without it the same one is tried again after a wait. */
  readonly nextPort?: () => Promise<number>;
  readonly signal?: AbortSignal;
  /** Told before each new try, with the message of the spec. */
  readonly onRetry?: (message: string) => void;
}

/**
 * Binds the addresses and resolves to the port. Only a taken port is retried; taken on one address is taken, since a
 * person's `localhost` may lead to either. Throws `port_in_use` when the retries are used up, `cannot_listen` for any
 * other reason. Closing the app closes all of them.
 */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<number> {
  let others: readonly Server[] = [];
  let { port } = options;
  app.addHook("onClose", () => closeAll(others));
  await app.ready();
  for (let attempt = 0; ; attempt += 1) {
    try {
      others = await bindOthers(app, options.alsoOn ?? [], port);
      await app.listen({ port, host: options.host });
      const address = app.server.address();
      return typeof address === "object" && address ? address.port : port;
    } catch (error) {
      closeAll(others);
      if (systemErrorCode(error) !== "EADDRINUSE") throw cannotListen(error, options);
      if (attempt >= options.retries) throw portInUse(options);
      port = await portAfter(port, options);
    }
  }
}

async function portAfter(port: number, { nextPort, onRetry, signal }: ListenOptions): Promise<number> {
  if (nextPort) return nextPort();
  onRetry?.(`Port ${port} in use`);
  await delay(RETRY_DELAY_MS, undefined, signal ? { signal } : {});
  return port;
}

const NO_IPV6 = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL"]);

async function bindOthers(app: FastifyInstance, hosts: readonly string[], port: number): Promise<Server[]> {
  const servers: Server[] = [];
  for (const host of hosts) {
    try {
      servers.push(await bind(app, host, port));
    } catch (error) {
      if (host === "::1" && NO_IPV6.has(systemErrorCode(error) ?? "")) continue;
      closeAll(servers);
      throw error;
    }
  }
  return servers;
}

/** A second door to the same app, with the same limits. */
function bind(app: FastifyInstance, host: string, port: number): Promise<Server> {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = app.server;
  const server = createServer(
    { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval: 2_000 },
    (request, response) => app.routing(request, response),
  );
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => resolve(server));
  });
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

function portInUse({ port, retries }: ListenOptions): AppError {
  const message = retries > 0 ? `Port ${port} in use after ${retries} retries` : `Port ${port} in use`;
  return new AppError("port_in_use", message, {
    hint: "Stop the program that holds it, or choose another port with --port.",
  });
}

function cannotListen(cause: unknown, { host, port }: ListenOptions): AppError {
  const reason = systemErrorCode(cause) ?? "unknown reason";
  return new AppError("cannot_listen", `Cannot listen on ${host} port ${port}: ${reason}`, {
    cause,
    hint: "Choose another address with --host or another port with --port.",
  });
}
