import { AppError } from "../../errors.ts";
import { DialectError } from "../exchange/dialect-error.ts";
import type { ExchangeError } from "../exchange/error.ts";
import { kindOfStatus } from "../exchange/error-status.ts";

/** Converts a thrown value to an error for the client. An internal error does not reveal its message. */
export function toExchangeError(error: unknown): ExchangeError {
  if (error instanceof DialectError) return error.error;
  if (error instanceof AppError && error.code !== "internal") {
    return { kind: kindOfStatus(error.status), status: error.status, message: error.message };
  }
  return { kind: "internal", status: 500, message: "Internal error of the proxy" };
}

/** Returns whether the client disconnected, so that no response can be sent. */
export function isClientDisconnect(error: unknown): boolean {
  return error instanceof AppError && error.code === "client_gone";
}
