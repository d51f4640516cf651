/** A vendor's refusal or a fault of ours, in no vendor's envelope. */
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
  /** HTTP status to answer with. */
  readonly status: number;
  readonly message: string;
  /** The vendor's own code or type, for clients that match on it. */
  readonly code?: string;
  readonly param?: string;
  readonly retryAfterSeconds?: number;
  readonly raw?: unknown;
}
