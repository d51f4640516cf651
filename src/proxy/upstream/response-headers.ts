import type { IncomingHttpHeaders } from "node:http";
import type { Redact } from "../redact.ts";

/** Headers of an upstream's answer that reach the client. Cookies, alternative services and policies do not. */
const PASSED = new Set([
  "content-type",
  "content-encoding",
  "content-language",
  "content-disposition",
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

const PASSED_PREFIX = /^(?:anthropic-|openai-|x-ratelimit|ratelimit|mcp-|x-groq-|x-gemini-)/;
/** By which a vendor's support finds a call again: Azure's, Mistral's, DeepSeek's, OpenRouter's … */
const PASSED_ID = /(?:^|-)(?:request|correlation|trace|generation)-id$/;

/**
 * Sent with every relayed answer: it is data, for the caller alone, whatever it looks like. An upstream's page, opened in
 * a browser, must not run as one of ours.
 */
const SAFETY = [
  "x-content-type-options",
  "nosniff",
  "cross-origin-resource-policy",
  "same-origin",
  "content-security-policy",
  "default-src 'none'; sandbox",
] as const;

/** What was found of names before: the same few come in every answer. */
const verdicts = new Map<string, boolean>();
const MOST_NAMES = 1000;

function isPassed(name: string): boolean {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const passed = PASSED.has(name) || PASSED_PREFIX.test(name) || isCallId(name);
  if (verdicts.size < MOST_NAMES) verdicts.set(name, passed);
  return passed;
}

/** Ours are told once, by us. */
function isCallId(name: string): boolean {
  return PASSED_ID.test(name) && !name.startsWith("x-sallyport");
}

/** Returns the flat list for `writeHead`. `own` are headers of ours, names lower-case; vendors may repeat a key in theirs. */
export function clientHeaders(
  headers: IncomingHttpHeaders,
  own: readonly string[],
  redact: Redact,
): string[] {
  const list: string[] = [...SAFETY, ...own];
  for (const name in headers) {
    if (!isPassed(name)) continue;
    const value = headers[name];
    if (typeof value === "string") list.push(name, redact(value));
    else if (value) for (const each of value) list.push(name, redact(each));
  }
  return list;
}
