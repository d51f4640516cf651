import type { ExchangeError } from "./error.ts";

/** What a codec throws: a client's mistake, or an upstream's answer that is none. The lane encodes it for the client. */
export class DialectError extends Error {
  readonly error: ExchangeError;

  constructor(error: ExchangeError) {
    super(error.message);
    this.name = "DialectError";
    this.error = error;
  }
}

/** A client's mistake (400), with the member it made it in where that is known. */
export function invalidRequest(message: string, param?: string): DialectError {
  return new DialectError({
    kind: "invalid-request",
    status: 400,
    message,
    ...(param === undefined ? {} : { param }),
  });
}

/** An upstream's answer that cannot be read (502). */
export function invalidResponse(message: string, raw?: unknown): DialectError {
  return new DialectError({
    kind: "upstream",
    status: 502,
    message,
    ...(raw === undefined ? {} : { raw }),
  });
}
