import type { Server } from "node:http";
import type { FastifyInstance } from "fastify";
import { AppError, systemErrorCode } from "../errors.ts";

/**
 * Maximum number of connections that wait to be accepted: Linux's default limit (`net.core.somaxconn`). Node.js
 * requests only 511; further connections wait for seconds, and are reset if the listener closes in the meantime.
 */
export const BACKLOG = 4096;

/** Maximum number of retries while the configured port is in use. */
export const MAX_RETRIES = 5;
/** Delay between retries in milliseconds. */
export const RETRY_DELAY_MS = 500;

/** The address that a server binds. */
export interface Address {
  readonly port: number;
  readonly host: string;
  /** Maximum number of retries while the port is in use. */
  readonly retries: number;
}

/** The address of a server, or a socket that listens there already. */
export interface Binding extends Omit<Address, "retries"> {
  /** The descriptor of an inherited listening socket, used instead of the address. */
  readonly descriptor?: number | undefined;
}

/** Binds the app to one address and resolves to the port. Throws `port_in_use` or `cannot_listen`. */
export async function listen(app: FastifyInstance, { port, host, descriptor }: Binding): Promise<number> {
  await app.ready();
  try {
    // Fastify passes its options on to `net.Server.listen`, where a descriptor takes precedence.
    const inherited = descriptor === undefined ? {} : { fd: descriptor };
    await app.listen({ port, host, backlog: BACKLOG, ...inherited });
  } catch (error) {
    throw listenFailure(error, { port, host, retries: 0 });
  }
  return getPort(app.server) ?? port;
}

/** Returns the port that a server listens on, or undefined. */
export function getPort(server: Server | undefined): number | undefined {
  const address = server?.address();
  return typeof address === "object" && address ? address.port : undefined;
}

/** Returns the error of a failed bind: `port_in_use` if the port is in use, or `cannot_listen` otherwise. */
export function listenFailure(cause: unknown, { port, host, retries }: Address): AppError {
  const code = systemErrorCode(cause);
  if (code === "EADDRINUSE") {
    const message = retries > 0 ? `Port ${port} in use after ${retries} retries` : `Port ${port} in use`;
    return new AppError("port_in_use", message, {
      hint: "Stop the program that uses it, or choose another port with --port.",
    });
  }
  const reason = REASONS[code ?? ""] ?? code ?? "unknown reason";
  return new AppError(
    "cannot_listen",
    `Cannot listen on ${failedHost(cause) ?? host} port ${port}: ${reason}`,
    {
      cause,
      hint: "Choose another address with --host or another port with --port.",
    },
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "no network interface of this machine has this address",
  ENOTFOUND: "unknown host",
  EACCES: "permission denied (ports below 1024 need administrator rights)",
};

/** Returns which of several addresses could not be bound. */
function failedHost(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if ("address" in cause && typeof cause.address === "string") return cause.address;
  return "hostname" in cause && typeof cause.hostname === "string" ? cause.hostname : undefined;
}
