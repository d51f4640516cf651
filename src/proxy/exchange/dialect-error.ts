import type { ExchangeError } from "./error.ts";

/** Thrown by codecs for an invalid request or an invalid upstream response. The lane encodes it for the client. */
export class DialectError extends Error {
  readonly error: ExchangeError;

  constructor(error: ExchangeError) {
    super(error.message);
    this.name = "DialectError";
    this.error = error;
  }
}

/** Creates the error for an invalid request (400); `param` names the invalid member if it is known. */
export function invalidRequest(message: string, param?: string): DialectError {
  return new DialectError({
    kind: "invalid-request",
    status: 400,
    message,
    param,
    errorCode: "validation",
  });
}

/** Creates the error for an upstream response that cannot be read (502). */
export function invalidResponse(message: string, raw?: unknown): DialectError {
  return new DialectError({
    kind: "upstream",
    status: 502,
    message,
    raw,
    errorCode: "upstream_invalid",
  });
}
