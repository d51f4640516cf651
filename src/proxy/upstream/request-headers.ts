import type { IncomingHttpHeaders } from "node:http";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import type { KeyRing } from "../auth/key-ring.ts";
import { findProfile, getUpstreamProfile, keyHeaders, upstreamDialects } from "../dialects/index.ts";
import { redactOwnKeys } from "../redact.ts";

/**
 * Client headers that are not forwarded: those of the connection (RFC 9110, section 7.6.1), those that identify the
 * client or its browser, those that are set per upstream, and credentials. Only an upstream that expects the client's
 * own credentials receives the headers in `keyHeaders`.
 */
const STOPPED = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "host",
  "content-length",
  "content-encoding",
  "accept-encoding",
  ...keyHeaders,
  "x-gen-api-key",
  "cookie",
  "cookie2",
  "forwarded",
  "via",
  "x-real-ip",
  "origin",
  "referer",
  "x-sallyport-via",
  "x-sallyport-upstream",
  "http2-settings",
  "alt-used",
  "max-forwards",
]);

const STOPPED_PREFIX = /^(?:x-forwarded-|sec-|cf-|access-control-)/;

/**
 * Client headers that are forwarded even if anyone other than this machine's user can call the proxy: those that
 * vendors' SDKs and protocols define. Other headers may come from a load balancer and identify the caller.
 */
const ALLOWED = new Set([
  "accept",
  "accept-language",
  "baggage",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "traceparent",
  "tracestate",
  "user-agent",
  "x-app",
  "x-claude-code-session-id",
  "x-client-request-id",
  "x-server-timeout",
  "x-should-retry",
  "x-title",
]);

const ALLOWED_PREFIXES = [
  ...new Set(upstreamDialects.map((dialect) => getUpstreamProfile(dialect).headerPrefix)),
  "x-stainless-",
  "x-claude-",
  "x-codex-",
];

export interface HeaderNeeds {
  /** The key for this attempt; undefined if the upstream has none. */
  readonly key: string | undefined;
  /** The value of `x-sallyport-via`, by which forwarding loops are detected. */
  readonly via: string;
  /** The codings that the client accepts; undefined requests an uncompressed response. */
  readonly acceptEncoding: string | undefined;
  /** The length of a streamed body in bytes. undici computes the length of a buffered body. */
  readonly contentLength: number | undefined;
  /** The content coding of a streamed body, which is forwarded without decoding. Buffered bodies are decoded. */
  readonly contentCoding: string | undefined;
  /** The client's own key from the query, for upstreams that expect the client's credentials. */
  readonly clientKey?: string | undefined;
  /**
   * Whether anyone other than this machine's user can call the proxy. If so, only known headers and the headers that
   * the upstream's configuration lists are forwarded.
   */
  readonly isShared?: boolean;
  /** Replaces the client's `traceparent`, if the proxy reports the call to a collector. */
  readonly traceparent?: string | undefined;
  /** The proxy's keys; headers that contain one are dropped. */
  readonly keys: KeyRing;
}

/** Returns the headers of a relayed call as undici's flat list. `rawHeaders` are the client's. */
export function upstreamHeaders(
  rawHeaders: readonly string[],
  upstream: UpstreamConfig,
  needs: HeaderNeeds,
): string[] {
  const named = connectionNames(rawHeaders);
  const replaced = Object.keys(upstream.headers);
  const forwardsKey = upstream.credentials === "client";
  const headers: string[] = [];
  const versionHeader = findProfile(upstream.dialect)?.upstream?.versionHeader;
  let hasVersion = false;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    if (isStopped(name)) {
      if (forwardsKey && isForwardedKey(name, value, needs)) headers.push(name, value);
      continue;
    }
    if (named?.has(name)) continue;
    const isVersion = name === versionHeader?.[0];
    if (isVersion ? hasVersion || isVersionFixed(upstream, value) : replaced.includes(name)) continue;
    if (needs.traceparent !== undefined && name === "traceparent") continue;
    if (needs.isShared && !isAllowed(name, upstream)) continue;
    if (redactOwnKeys(value, needs.keys) !== value) continue;
    if (isVersion) hasVersion = true;
    headers.push(name, value);
  }
  if (versionHeader !== undefined && !hasVersion && !replaced.includes(versionHeader[0]))
    headers.push(...versionHeader);
  addOwn(headers, upstream, needs, hasVersion ? versionHeader?.[0] : undefined);
  return headers;
}

/** Returns the API version that the configured headers of an upstream set; undefined if they set none. */
export function fixedVersion({ dialect, headers }: UpstreamConfig): string | undefined {
  const name = findProfile(dialect)?.upstream?.versionHeader?.[0];
  return name === undefined ? undefined : headers[name];
}

/**
 * Returns whether a request of API version `client` can be sent to an upstream unchanged: the upstream or the client
 * sets no version, or the request is valid in the upstream's fixed version.
 */
export function acceptsVersion(upstream: UpstreamConfig, client: string | undefined): boolean {
  const fixed = fixedVersion(upstream);
  if (fixed === undefined || client === undefined || client === fixed) return true;
  return findProfile(upstream.dialect)?.upstream?.acceptsVersion?.(client, fixed) ?? true;
}

/** Returns whether the upstream's fixed API version replaces the client's, because the request is valid in it. */
function isVersionFixed(upstream: UpstreamConfig, client: string): boolean {
  return fixedVersion(upstream) !== undefined && acceptsVersion(upstream, client);
}

function isStopped(name: string): boolean {
  return STOPPED.has(name) || STOPPED_PREFIX.test(name);
}

function isAllowed(name: string, { forwardHeaders }: UpstreamConfig): boolean {
  return (
    ALLOWED.has(name) ||
    ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    forwardHeaders.includes(name)
  );
}

function addOwn(
  headers: string[],
  upstream: UpstreamConfig,
  { key, clientKey, via, acceptEncoding, contentLength, contentCoding, traceparent }: HeaderNeeds,
  clientsOwn: string | undefined,
): void {
  if (traceparent !== undefined) headers.push("traceparent", traceparent);
  headers.push("accept-encoding", acceptEncoding ?? "identity", "x-sallyport-via", via);
  if (contentLength !== undefined) headers.push("content-length", String(contentLength));
  if (contentCoding !== undefined) headers.push("content-encoding", contentCoding);
  if (key !== undefined && upstream.credentials === "config") {
    const [name, value] = credentialHeader(upstream, key);
    if (!(name in upstream.headers)) headers.push(name, value);
  }
  if (clientKey !== undefined) headers.push(...credentialHeader(upstream, clientKey));
  for (const name in upstream.headers)
    if (name !== clientsOwn) headers.push(name, upstream.headers[name] ?? "");
}

/**
 * Returns the headers of a request that the proxy creates, as undici's flat list: the given headers, the dialect's
 * version header and the credentials. Headers from the configuration replace others of the same name.
 */
export function requestHeaders(
  upstream: UpstreamConfig,
  key: string | undefined,
  given: readonly (readonly [name: string, value: string])[],
): string[] {
  const headers: string[] = [];
  const add = (name: string, value: string) => {
    if (!(name in upstream.headers)) headers.push(name, value);
  };
  for (const [name, value] of given) add(name, value);
  const versionHeader = findProfile(upstream.dialect)?.upstream?.versionHeader;
  if (versionHeader !== undefined) add(...versionHeader);
  if (key !== undefined) add(...credentialHeader(upstream, key));
  for (const name in upstream.headers) headers.push(name, upstream.headers[name] ?? "");
  return headers;
}

/**
 * Returns the value of `x-sallyport-via`: the instance ids of the proxies that the call has passed through, in order,
 * ending with this proxy.
 */
export function viaHeader(headers: IncomingHttpHeaders, instanceId: string): string {
  const before = headers["x-sallyport-via"]?.toString().slice(-200);
  return before ? `${before}, ${instanceId}` : instanceId;
}

/** Returns the header in which an upstream expects the API key. */
function credentialHeader({ dialect, keyHeader }: UpstreamConfig, key: string): readonly [string, string] {
  const { name, prefix } = keyHeader ?? findProfile(dialect)?.upstream?.keyHeader ?? BEARER;
  return [name, `${prefix}${key}`];
}

const BEARER = { name: "authorization", prefix: "Bearer " };

function isForwardedKey(name: string, value: string, { keys }: HeaderNeeds): boolean {
  if (!keyHeaders.includes(name)) return false;
  return keys.find([value.replace(/^bearer +/i, "")]) === undefined;
}

/** Returns the header names that `Connection` lists; these headers are not forwarded either. */
function connectionNames(rawHeaders: readonly string[]): Set<string> | undefined {
  let names: Set<string> | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length !== 10 || name.toLowerCase() !== "connection") continue;
    const value = (rawHeaders[index + 1] ?? "").toLowerCase();
    if (value === "keep-alive" || value === "close") continue;
    names ??= new Set();
    for (const token of value.split(",")) names.add(token.trim());
  }
  return names;
}
