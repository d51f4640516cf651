import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { AppError, systemErrorCode } from "../errors.ts";

/** Spec, section 8: a taken port is tried again this often, this many milliseconds apart. */
export const MAX_RETRIES = 5;
export const RETRY_DELAY_MS = 500;

export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  readonly retries: number;
  readonly signal?: AbortSignal;
  /** Told before each new try, with the message of the spec. */
  readonly onRetry?: (message: string) => void;
}

/**
 * Binds the address and resolves to the port. Only a taken port is retried.
 * Throws `port_in_use` when the retries are used up, `cannot_listen` for any other reason.
 */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await app.listen({ port: options.port, host: options.host });
      const address = app.server.address();
      return typeof address === "object" && address ? address.port : options.port;
    } catch (error) {
      if (systemErrorCode(error) !== "EADDRINUSE") throw cannotListen(error, options);
      if (attempt >= options.retries) throw portInUse(options);
      options.onRetry?.(`Port ${options.port} in use`);
      await delay(RETRY_DELAY_MS, undefined, options.signal ? { signal: options.signal } : {});
    }
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
