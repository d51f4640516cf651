import { AppError } from "../errors.ts";
import { DialectError } from "./exchange/dialect-error.ts";
import type { Dialect } from "./exchange/parts.ts";

/** Envelopes: a client dialect, or `plain` for `{error}`. */
export type ErrorDialect = Dialect | "plain";

export interface Fault {
  readonly status: number;
  readonly message: string;
  /** A code of our catalogue; `model_not_found` and the like reach the client. */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}

/** What an error tells a client; a defect of ours tells nothing of itself. */
export function faultOf(error: unknown): Fault {
  if (error instanceof DialectError) {
    const { status, message, retryAfterSeconds } = error.error;
    return { status, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  }
  if (!(error instanceof AppError) || error.code === "internal")
    return { status: 500, message: "Internal error of the proxy", code: "internal" };
  const status = error.code === "client_gone" ? 400 : error.status;
  const retry = error.code === "overloaded" ? { retryAfterSeconds: 1 } : {};
  return { status, message: error.message, code: error.code, ...retry };
}

/** The body of a fault in a client's dialect. */
export function encodeFault(dialect: ErrorDialect, fault: Fault, requestId: string): string {
  return JSON.stringify(envelope(dialect, fault, requestId));
}

/**
 * A fault in the middle of a stream as the dialect's own last event. Undefined where the stream has no room for one
 * (generative-language without `alt=sse` is a JSON array): the connection is to be broken instead.
 */
export function encodeFaultEvent(dialect: ErrorDialect, fault: Fault, requestId: string): string {
  const body = envelope(dialect, fault, requestId);
  if (dialect === "messages") return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
  if (dialect === "responses") {
    const event = { type: "error", code: fault.code ?? "server_error", message: fault.message, param: null };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return `data: ${JSON.stringify(body)}\n\n`;
}

function envelope(dialect: ErrorDialect, fault: Fault, requestId: string): unknown {
  const { status, message } = fault;
  if (dialect === "plain") return { error: message };
  if (dialect === "messages") {
    const code = fault.code === "model_not_found" ? { code: fault.code } : {};
    return { type: "error", error: { type: messagesType(status), message, ...code }, request_id: requestId };
  }
  if (dialect === "generative-language")
    return { error: { code: status, message, status: googleStatus(status) } };
  return { error: { message, type: chatType(status), param: null, code: fault.code ?? null } };
}

/** https://docs.anthropic.com/en/api/errors */
function messagesType(status: number): string {
  const known: Record<number, string> = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
  };
  return known[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

/** https://platform.openai.com/docs/guides/error-codes */
function chatType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** https://cloud.google.com/apis/design/errors#error_codes */
function googleStatus(status: number): string {
  const known: Record<number, string> = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
  };
  return known[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
}
