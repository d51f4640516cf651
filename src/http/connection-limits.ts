/**
 * What both servers grant a connection. Node needs the three timeouts (milliseconds) together: `requestTimeout` alone
 * does nothing before `headersTimeout` has passed, and both are looked at only every `connectionsCheckingInterval`.
 */
export const CONNECTION_LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  /** Bytes. */
  maxHeaderSize: 32_768,
} as const;
