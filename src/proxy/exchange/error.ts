/** An error of a vendor or of the proxy, independent of any dialect's envelope. */
export interface ExchangeError {
  readonly kind:
    | "invalid-request"
    | "authentication"
    | "billing"
    | "permission"
    | "not-found"
    | "timeout"
    | "conflict"
    | "too-large"
    | "unprocessable"
    | "context-overflow"
    | "rate-limit"
    | "quota"
    | "overloaded"
    | "upstream"
    | "internal";
  /** HTTP status of the response to the client. */
  readonly status: number;
  readonly message: string;
  /** The vendor's own code or type, for clients that match on it. */
  readonly code?: string;
  readonly param?: string;
  readonly retryAfterSeconds?: number;
  /** What the vendor's `x-should-retry` states; undefined if there is none. */
  readonly shouldRetry?: boolean | undefined;
  /** The code for the request log (`src/errors.ts`) of an error of the proxy; undefined for the upstream's errors. */
  readonly errorCode?: string;
  readonly raw?: unknown;
}
