/**
 * Rejects requests of foreign web pages. A browser sends requests of any page to a loopback port; the headers below,
 * which pages cannot set, distinguish them from the user's own requests.
 *
 * Host stops DNS rebinding (where the browser sends no Origin and no Sec-Fetch headers); Origin and Sec-Fetch-Site stop
 * cross-site and other-port pages. See https://fetch.spec.whatwg.org/#http-origin and
 * https://w3c.github.io/webappsec-fetch-metadata/.
 */

export interface GuardPolicy {
  /** Allowed host names in addition to loopback: lower case, without port, IPv6 in brackets. */
  readonly hostnames: readonly string[];
  /** Returns whether a host name (lower case, without port) that is not in `hostnames` is allowed. */
  readonly isAllowedHostname?: (hostname: string) => boolean;
  /**
   * Whether any IP address is allowed as a host name, except 0.0.0.0 and [::]; for servers bound beyond loopback. DNS
   * rebinding needs a name.
   */
  readonly anyAddress: boolean;
  /** Allowed origins in addition to the server's own. */
  readonly origins: readonly string[];
  /** Returns whether a link on another site may open this route in a tab. */
  readonly mayBeLinked: (path: string) => boolean;
  /** Returns whether a page outside of this server may show this URL in a frame. */
  readonly mayBeFramed?: (url: string) => boolean;
}

/** The checked parts of a request; `rawHeaders` is Node's flat list of names and values. */
export interface GuardedRequest {
  readonly method: string;
  /** The path as requested; one route has many spellings. */
  readonly path: string;
  /** The path with its query. */
  readonly url?: string;
  /** The registered route that the path matches; undefined if it matches none. */
  readonly route?: string | undefined;
  /** The client's host as reported by a trusted proxy; otherwise the Host header counts. */
  readonly forwardedHost?: string | undefined;
  /** The scheme that the client used, also if a load balancer terminates TLS; default http. */
  readonly scheme?: "http" | "https";
  readonly rawHeaders: readonly string[];
}

export type GuardResult =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: GuardReason };
export type GuardReason = "host" | "origin" | "site";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Unspecified addresses: valid for binding, but some browsers connect them to this host from any page. */
const UNSPECIFIED = new Set(["0.0.0.0", "[::]"]);
const ALLOWED: GuardResult = { allowed: true };

/** Returns whether a request may pass. Pure; authentication is separate. */
export function checkRequest(request: GuardedRequest, policy: GuardPolicy): GuardResult {
  const host = request.forwardedHost ?? single(request.rawHeaders, "host");
  if (host === undefined || !isOwnHost(host, policy)) return refused("host");

  const origins = getValues(request.rawHeaders, "origin");
  const origin = origins[0];
  if (origins.length > 1) return refused("origin");
  if (
    origin !== undefined &&
    origin !== `${request.scheme ?? "http"}://${host}` &&
    !policy.origins.includes(origin)
  ) {
    return refused("origin");
  }

  const sites = getValues(request.rawHeaders, "sec-fetch-site");
  const listed = origin !== undefined && policy.origins.includes(origin);
  if (listed || sites.every((site) => site === "same-origin" || site === "none")) return ALLOWED;
  return isOpened(request, policy) ? ALLOWED : refused("site");
}

/** Returns the host name of a Host header, lower case and without port, or undefined if it is malformed. */
export function parseHostname(host: string): string | undefined {
  const match = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host);
  return match?.[1]?.toLowerCase();
}

function isOwnHost(host: string, policy: GuardPolicy): boolean {
  const hostname = parseHostname(host);
  if (hostname === undefined || UNSPECIFIED.has(hostname)) return false;
  if (LOOPBACK.has(hostname) || policy.hostnames.includes(hostname)) return true;
  if (policy.isAllowedHostname?.(hostname)) return true;
  return policy.anyAddress && isAddress(hostname);
}

function isAddress(hostname: string): boolean {
  if (hostname.startsWith("[")) return true;
  const parts = hostname.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
}

/**
 * Returns whether the request is a followed link, as from a terminal or chat: a GET or HEAD of a page, never of data,
 * at the top level or in a frame that the policy allows.
 */
function isOpened(request: GuardedRequest, policy: GuardPolicy): boolean {
  const destination = single(request.rawHeaders, "sec-fetch-dest");
  const isFramed = destination === "iframe" && policy.mayBeFramed?.(request.url ?? request.path) === true;
  return (
    (request.method === "GET" || request.method === "HEAD") &&
    single(request.rawHeaders, "sec-fetch-mode") === "navigate" &&
    (destination === "document" || isFramed) &&
    single(request.rawHeaders, "origin") === undefined &&
    policy.mayBeLinked(request.path) &&
    (request.route === undefined || policy.mayBeLinked(request.route))
  );
}

const NONE: readonly string[] = [];

function getValues(rawHeaders: readonly string[], name: string): readonly string[] {
  let values = NONE;
  let isValue = false;
  let isWanted = false;
  for (const text of rawHeaders) {
    if (!isValue) {
      // Hot path: comparing lengths first rules out most names.
      isWanted = text.length === name.length && text.toLowerCase() === name;
    } else if (isWanted) values = [...values, text];
    isValue = !isValue;
  }
  return values;
}

/** Returns the header's value if it occurs exactly once. Node silently keeps the first of two Host headers. */
function single(rawHeaders: readonly string[], name: string): string | undefined {
  const values = getValues(rawHeaders, name);
  return values.length === 1 ? values[0] : undefined;
}

function refused(reason: GuardReason): GuardResult {
  return { allowed: false, reason };
}
