import type { ExchangeError } from "./error.ts";

type Kind = ExchangeError["kind"];

/** The HTTP status each kind is answered with unless the vendor's own says it better. */
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

/** The status a kind is answered with. */
export function statusOfKind(kind: Kind): number {
  return statuses[kind];
}

/** What a status means when the body does not say: unknown 4xx are the client's mistake, the rest the upstream's. */
export function kindOfStatus(status: number): Kind {
  return kinds[status] ?? (status >= 400 && status < 500 ? "invalid-request" : "upstream");
}

/** The wordings in which vendors say that the prompt does not fit the model's context. */
const overflow =
  /prompt is too long|context[_ ]length[_ ]exceeded|maximum context length|exceeds? (?:the|your) (?:maximum |model'?s )?(?:context|input)|context window|input token count .{0,40}exceeds the maximum|too many (?:input )?tokens/i;

/** Whether a vendor's message or code says that the prompt is too long for the model. */
export function isContextOverflow(message: string, code?: string): boolean {
  return code === "context_length_exceeded" || overflow.test(message);
}

/** Where an upstream says how long it wants to be left alone. */
export interface RetryAfterHeaders {
  readonly "retry-after"?: string | undefined;
  readonly "retry-after-ms"?: string | readonly string[] | undefined;
}

/**
 * Returns the milliseconds that response headers ask for: `retry-after-ms` (OpenAI, Azure), then `retry-after` as seconds
 * or as an HTTP date (RFC 9110, section 10.2.3). `now` is milliseconds since 1970.
 */
export function parseRetryAfter(headers: RetryAfterHeaders, now: number = Date.now()): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers["retry-after"]?.trim();
  if (value === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  // Without a month's name it is a number that is none, which `Date.parse` would take for a year.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The same in seconds, rounded up. */
export function retryAfterSeconds(headers: RetryAfterHeaders, now?: number): number | undefined {
  const milliseconds = parseRetryAfter(headers, now);
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1000);
}
