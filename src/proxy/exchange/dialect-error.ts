import type { ExchangeError } from "./error.ts";

/** Reports an invalid request, or an error or invalid response of the upstream, independently of any dialect. */
export class DialectError extends Error {
  readonly error: ExchangeError;

  constructor(error: ExchangeError) {
    super(error.message);
    this.name = "DialectError";
    this.error = error;
  }
}

/** Creates the error for an invalid request (400); `param` is the path of the invalid member, if known. */
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
