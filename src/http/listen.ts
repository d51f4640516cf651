import type { Server } from "node:http";
import type { FastifyInstance } from "fastify";
import { AppError, systemErrorCode } from "../errors.ts";

/** As specified: a taken port is tried again this often … */
export const MAX_RETRIES = 5;
/** … and this many milliseconds apart. */
export const RETRY_DELAY_MS = 500;

/** Where a server is to listen. */
export interface Address {
  readonly port: number;
  readonly host: string;
  /** How often a taken port is tried again. */
  readonly retries: number;
}

/** Binds the app to one address and resolves to the port. Throws `port_in_use` or `cannot_listen`. */
export async function listen(
  app: FastifyInstance,
  { port, host }: Omit<Address, "retries">,
): Promise<number> {
  await app.ready();
  try {
    await app.listen({ port, host });
  } catch (error) {
    throw listenFailure(error, { port, host, retries: 0 });
  }
  return portOf(app.server) ?? port;
}

/** The port a server listens on; undefined while it listens on none. */
export function portOf(server: Server | undefined): number | undefined {
  const address = server?.address();
  return typeof address === "object" && address ? address.port : undefined;
}

/** What a failure to bind is told as: `port_in_use` for a taken port, `cannot_listen` for any other reason. */
export function listenFailure(cause: unknown, { port, host, retries }: Address): AppError {
  const code = systemErrorCode(cause);
  if (code === "EADDRINUSE") {
    const message = retries > 0 ? `Port ${port} in use after ${retries} retries` : `Port ${port} in use`;
    return new AppError("port_in_use", message, {
      hint: "Stop the program that holds it, or choose another port with --port.",
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
  EADDRNOTAVAIL: "no network of this machine has that address",
  ENOTFOUND: "there is no such host",
  EACCES: "only the administrator may use that port",
};

/** Of several addresses, the one that could not be had. */
function failedHost(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if ("address" in cause && typeof cause.address === "string") return cause.address;
  return "hostname" in cause && typeof cause.hostname === "string" ? cause.hostname : undefined;
}
