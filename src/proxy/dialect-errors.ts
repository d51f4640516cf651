import { AppError } from "../errors.ts";
import { getProfile } from "./dialects/index.ts";
import { DialectError } from "./exchange/dialect-error.ts";
import type { ExchangeError } from "./exchange/error.ts";
import { kindOfStatus } from "./exchange/error-status.ts";
import type { Dialect } from "./exchange/parts.ts";

/** The format of an error response: a client's dialect, or `plain` for `{error}`. */
export type ErrorDialect = Dialect | "plain";

export interface Fault {
  readonly status: number;
  readonly message: string;
  /** A code of the error catalog; clients are sent codes such as `model_not_found`. */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}

/** Returns what a client is sent for an error. The details of internal errors are left out. */
export function faultOf(error: unknown): Fault {
  if (error instanceof DialectError) {
    const { status, message, retryAfterSeconds } = error.error;
    return { status, message, retryAfterSeconds };
  }
  if (!(error instanceof AppError) || error.code === "internal")
    return { status: 500, message: "Internal error of the proxy", code: "internal" };
  const status = error.code === "client_gone" ? 400 : error.status;
  const retry = error.code === "overloaded" ? { retryAfterSeconds: 1 } : {};
  return { status, message: error.message, code: error.code, ...retry };
}

/** Encodes an error as the body of a response in the client's dialect. */
export function encodeFault(dialect: ErrorDialect, fault: Fault, requestId: string): string {
  return JSON.stringify(envelope(dialect, fault, requestId));
}

/** Encodes an error in mid-stream as the last event of a stream in the client's dialect. */
export function encodeFaultEvent(dialect: Dialect, fault: Fault, requestId: string): string {
  return getProfile(dialect).client.encodeProxyErrorEvent(toExchangeError(fault), fault.code, requestId);
}

function envelope(dialect: ErrorDialect, fault: Fault, requestId: string): unknown {
  if (dialect === "plain") return { error: fault.message };
  return getProfile(dialect).client.encodeProxyError(toExchangeError(fault), fault.code, requestId);
}

function toExchangeError({ status, message }: Fault): ExchangeError {
  return { kind: kindOfStatus(status), status, message };
}
