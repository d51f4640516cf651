import { AppError } from "../../errors.ts";
import { DialectError } from "../exchange/dialect-error.ts";
import type { ExchangeError } from "../exchange/error.ts";
import { kindOfStatus } from "../exchange/error-status.ts";

/** Anything thrown on the way, as an error for the client. A defect of ours tells nothing of itself. */
export function toExchangeError(error: unknown): ExchangeError {
  if (error instanceof DialectError) return error.error;
  if (error instanceof AppError && error.code !== "internal") {
    return { kind: kindOfStatus(error.status), status: error.status, message: error.message };
  }
  return { kind: "internal", status: 500, message: "Internal error of the proxy" };
}

/** Whether the client has left, so that there is nobody to tell. */
export function isClientDisconnect(error: unknown): boolean {
  return error instanceof AppError && error.code === "client_gone";
}
