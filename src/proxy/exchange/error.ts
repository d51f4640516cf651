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
  /** HTTP status of the error. */
  readonly status: number;
  readonly message: string;
  /** The vendor's code or type of the error, by which clients recognize the error. */
  readonly code?: string;
  /** The path of the invalid member of the request. */
  readonly param?: string;
  readonly retryAfterSeconds?: number;
  /**
   * Whether the client can retry: the vendor's `x-should-retry`, or false for a final error of the proxy; undefined if
   * not known.
   */
  readonly shouldRetry?: boolean | undefined;
  /** The code in the request log (`src/errors.ts`); undefined for an upstream's error. */
  readonly errorCode?: string;
  readonly raw?: unknown;
}
