import { AppError } from "../errors.ts";
import { getProfile } from "./dialects/index.ts";
import { DialectError } from "./exchange/dialect-error.ts";
import type { ExchangeError } from "./exchange/error.ts";
import { statusToKind } from "./exchange/error-status.ts";
import type { Dialect } from "./exchange/parts.ts";

/**
 * The format of an error response: that of a dialect, `plain` for `{error}`, `admin` for
 * `{error: {code, message, hint?}}`, or `bedrock` for `{message}`.
 */
export type ErrorDialect = Dialect | "plain" | "admin" | "bedrock";

/** An error of the proxy as clients receive it. */
export interface ProxyError {
  readonly status: number;
  readonly message: string;
  /** A code of the error catalog, such as `model_not_found`. Not every format contains it. */
  readonly code?: string;
  /** The suggested fix. Only the format `admin` contains it. */
  readonly hint?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Whether clients must not retry the request. */
  readonly isFinal?: boolean;
}

const INTERNAL = "Internal error of the proxy";

/** Converts a thrown value to the error that a client receives. An internal error does not reveal its message. */
export function toProxyError(error: unknown): ProxyError {
  if (error instanceof DialectError) {
    const { status, message, retryAfterSeconds } = error.error;
    return { status, message, retryAfterSeconds };
  }
  if (!(error instanceof AppError) || error.code === "internal")
    return { status: 500, message: INTERNAL, code: "internal" };
  const status = error.code === "client_gone" ? 400 : error.status;
  return {
    status,
    message: error.message,
    code: error.code,
    hint: error.hint,
    retryAfterSeconds: error.retryAfterSeconds ?? (RETRIED.has(error.code) ? 1 : undefined),
    isFinal: error.isFinal || error.code === "budget_exceeded",
  };
}

/** Codes of temporary errors. Their `retryAfterSeconds` is 1, unless the error has another duration. */
const RETRIED = new Set<string>(["overloaded", "limits_unavailable"]);

/** Converts a thrown value to an error that a dialect can encode. An internal error does not reveal its message. */
export function toExchangeError(error: unknown): ExchangeError {
  if (error instanceof DialectError) return error.error;
  if (!(error instanceof AppError) || error.code === "internal")
    return { kind: "internal", status: 500, message: INTERNAL, errorCode: "internal" };
  const { status, message, code } = error;
  const { retryAfterSeconds, isFinal } = toProxyError(error);
  return {
    kind: statusToKind(status),
    status,
    message,
    errorCode: code,
    ...(retryAfterSeconds && { retryAfterSeconds }),
    ...(isFinal && { shouldRetry: false }),
  };
}

/** Returns whether an error means that the client disconnected, so that no response can be sent. */
export function isClientDisconnect(error: unknown): boolean {
  return error instanceof AppError && error.code === "client_gone";
}

/** Encodes an error as the JSON body of a response. */
export function encodeProxyError(dialect: ErrorDialect, error: ProxyError, requestId: string): string {
  return JSON.stringify(envelope(dialect, error, requestId));
}

/** Encodes an error as the last event of a stream in the client's dialect. */
export function encodeProxyErrorEvent(dialect: Dialect, error: ProxyError, requestId: string): string {
  return getProfile(dialect).client.encodeProxyErrorEvent(withKind(error), error.code, requestId);
}

function envelope(dialect: ErrorDialect, error: ProxyError, requestId: string): unknown {
  if (dialect === "plain") return { error: error.message };
  if (dialect === "bedrock") return { message: error.message };
  if (dialect === "admin") {
    const { code = "validation", message, hint } = error;
    return { error: { code, message, hint } };
  }
  return getProfile(dialect).client.encodeProxyError(withKind(error), error.code, requestId);
}

function withKind({ status, message, code }: ProxyError): ExchangeError {
  return { kind: code === "budget_exceeded" ? "billing" : statusToKind(status), status, message };
}
