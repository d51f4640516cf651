import type { ExchangeError } from "./error.ts";

type Kind = ExchangeError["kind"];

/** Default HTTP status of each kind of error. */
const statuses: Record<Kind, number> = {
  "invalid-request": 400,
  authentication: 401,
  billing: 402,
  permission: 403,
  "not-found": 404,
  timeout: 504,
  conflict: 409,
  "too-large": 413,
  unprocessable: 422,
  "context-overflow": 400,
  "rate-limit": 429,
  quota: 429,
  overloaded: 503,
  upstream: 502,
  internal: 500,
};

const kinds: Readonly<Record<number, Kind>> = {
  400: "invalid-request",
  401: "authentication",
  402: "billing",
  403: "permission",
  404: "not-found",
  408: "timeout",
  409: "conflict",
  413: "too-large",
  422: "unprocessable",
  429: "rate-limit",
  503: "overloaded",
  504: "timeout",
  529: "overloaded",
};

/** Returns the default HTTP status of a kind. */
export function kindToStatus(kind: Kind): number {
  return statuses[kind];
}

/**
 * Returns the kind of error that an HTTP status implies. A status that is not in the table is an invalid request if it
 * is a 4xx status, else an upstream error.
 */
export function statusToKind(status: number): Kind {
  return kinds[status] ?? (status >= 400 && status < 500 ? "invalid-request" : "upstream");
}

/** Returns a member of an upstream's error as a status from 400 to 599; undefined if it is not such a status. */
export function toErrorStatus(value: unknown): number | undefined {
  const status = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

/** Phrases with which vendors report that the prompt exceeds the model's context window. */
const overflow =
  /prompt is too long|context[_ ]length[_ ]exceeded|maximum context length|exceeds? (?:the|your) (?:maximum |model'?s )?(?:context|input)|context window|input token count .{0,40}exceeds the maximum|too many (?:input )?tokens/i;

/** Returns whether an error with this status can mean that the prompt exceeds the model's context window. */
export function canBeContextOverflow(status: number): boolean {
  return status === 400 || status === 413;
}

/** Returns whether a vendor's error means that the prompt exceeds the model's context window. */
export function isContextOverflow(status: number, message: string, code?: string): boolean {
  return canBeContextOverflow(status) && reportsContextOverflow(message, code);
}

/** Returns whether a vendor's message or code reports that the prompt exceeds the model's context window. */
export function reportsContextOverflow(message: string, code?: string): boolean {
  return code === "context_length_exceeded" || overflow.test(message);
}

/** Response headers that state whether and when the client can retry. */
export interface RetryAfterHeaders {
  readonly "retry-after"?: string | undefined;
  readonly "retry-after-ms"?: string | readonly string[] | undefined;
  readonly "x-should-retry"?: string | readonly string[] | undefined;
}

/**
 * Parses `x-should-retry`, which the SDKs of OpenAI and Anthropic read: true if the vendor permits a retry, false if it
 * forbids one, undefined if the header is absent or has another value.
 */
export function parseShouldRetry({ "x-should-retry": value }: RetryAfterHeaders): boolean | undefined {
  if (value === "true") return true;
  return value === "false" ? false : undefined;
}

const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * Returns the milliseconds to wait before a retry: `retry-after-ms` (OpenAI, Azure), else `retry-after` in seconds or
 * as an HTTP date (RFC 9110, section 10.2.3). Returns undefined if neither is valid. `now` is milliseconds since
 * 1970.
 */
export function parseRetryAfter(headers: RetryAfterHeaders, now: number = Date.now()): number | undefined {
  const exact = String(headers["retry-after-ms"] ?? "").trim();
  if (DECIMAL.test(exact)) return Number(exact);
  const value = headers["retry-after"]?.trim();
  if (value === undefined) return undefined;
  if (DECIMAL.test(value)) return Number(value) * 1000;
  // A date contains letters; `Date.parse` would read an invalid number as a year.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Returns the result of `parseRetryAfter` in seconds, rounded up. */
export function retryAfterSeconds(headers: RetryAfterHeaders, now?: number): number | undefined {
  const milliseconds = parseRetryAfter(headers, now);
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1000);
}
