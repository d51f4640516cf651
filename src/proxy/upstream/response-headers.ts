import type { IncomingHttpHeaders } from "node:http";
import type { Redact } from "../redact.ts";

/** Response headers that are relayed. Cookies, alternative services and browser policies are not relayed. */
const PASSED = new Set([
  "content-type",
  "content-encoding",
  "content-language",
  "content-disposition",
  "content-range",
  "accept-ranges",
  "cache-control",
  "etag",
  "last-modified",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
  "request-id",
  "x-request-id",
  "x-goog-request-id",
  "cf-ray",
  "inference-id",
  "server-timing",
  "x-ms-region",
  "www-authenticate",
  "allow",
  "x-accel-buffering",
]);

const PASSED_PREFIX =
  /^(?:anthropic-|openai-|x-ratelimit|ratelimit|mcp-|x-codex-|x-groq-|x-gemini-|x-goog-upload-)/;
/** Matches headers in which vendors report their own limits. */
const VENDOR_LIMITS = /^(?:x-ratelimit-|ratelimit|anthropic-(?:\w+-)*ratelimit-|x-groq-ratelimit|x-codex-)/;
/** Matches headers with the id by which a vendor's support finds a call, for example at Azure, Mistral and DeepSeek. */
const PASSED_ID = /(?:^|-)(?:request|correlation|trace|generation)-id$/;

/**
 * Headers that are added to every relayed response, so that an upstream's HTML, opened in a browser, does not run in
 * the proxy's origin (XSS).
 */
const SAFETY = [
  "x-content-type-options",
  "nosniff",
  "cross-origin-resource-policy",
  "same-origin",
  "content-security-policy",
  "default-src 'none'; sandbox",
] as const;

/** Whether a header is relayed, by name. Cached, because most responses of an upstream have the same headers. */
const decisions = new Map<string, boolean>();
/** Maximum number of names in `decisions`, because upstreams choose the names. */
const MAX_DECISIONS = 1_000;

function isPassed(name: string): boolean {
  const known = decisions.get(name);
  if (known !== undefined) return known;
  const isRelayed = PASSED.has(name) || PASSED_PREFIX.test(name) || isCallId(name);
  if (decisions.size < MAX_DECISIONS) decisions.set(name, isRelayed);
  return isRelayed;
}

/** Returns whether a header contains a vendor's id of the call. Only the proxy itself sets `x-sallyport-…` ids. */
function isCallId(name: string): boolean {
  return PASSED_ID.test(name) && !name.startsWith("x-sallyport");
}

/**
 * Returns the headers for the client as the flat list of `writeHead`. `own` are the proxy's headers, with names in
 * lower case. The values of the upstream's headers are redacted, because they may repeat a key. `hidesLimits` removes
 * the vendor's rate-limit headers.
 */
export function clientHeaders(
  headers: IncomingHttpHeaders,
  own: readonly string[],
  redact: Redact,
  hidesLimits = false,
): string[] {
  const list: string[] = [...SAFETY, ...own];
  for (const name in headers) {
    if (!isPassed(name) || (hidesLimits && VENDOR_LIMITS.test(name))) continue;
    const value = headers[name];
    if (typeof value === "string") list.push(name, redact(value));
    else if (value) for (const each of value) list.push(name, redact(each));
  }
  return list;
}
