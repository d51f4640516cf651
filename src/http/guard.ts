/**
 * Keeps web pages out of servers that need no password. A browser will send a request to a loopback port from
 * any page; these headers, which pages cannot set, tell such a request from the user's own.
 *
 * Host stops DNS rebinding (where the browser sends no Origin and no Sec-Fetch headers); Origin and
 * Sec-Fetch-Site stop cross-site and other-port pages. Each stops what the other cannot. See
 * https://fetch.spec.whatwg.org/#http-origin and https://w3c.github.io/webappsec-fetch-metadata/.
 */

export interface GuardPolicy {
  /** Host names answered to, beside loopback: lower case, no port, IPv6 in brackets. */
  readonly hostnames: readonly string[];
  /** Decides on names that are not in `hostnames`: lower case, no port. */
  readonly isAllowedHostname?: (hostname: string) => boolean;
  /** Answer to any IP literal but 0.0.0.0 and [::] (rebinding needs a name); for servers bound beyond loopback. */
  readonly anyAddress: boolean;
  /** Origins beside the server's own that may call it. */
  readonly origins: readonly string[];
  /** Whether a link from elsewhere may open this path in a tab. */
  readonly mayBeLinked: (path: string) => boolean;
}

/** What the guard looks at; `rawHeaders` is Node's flat name, value, name, value … list. */
export interface GuardedRequest {
  readonly method: string;
  /** As it was asked for; the same route has many spellings. */
  readonly path: string;
  /** The route it leads to, as it was registered; undefined where it leads to none. */
  readonly route?: string | undefined;
  /** The host that the client asked for, where a trusted proxy says so; else the Host header counts. */
  readonly forwardedHost?: string | undefined;
  /** The scheme that the client used, where a load balancer ends TLS; http unless said. */
  readonly scheme?: "http" | "https";
  readonly rawHeaders: readonly string[];
}

export type GuardResult =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: GuardReason };
export type GuardReason = "host" | "origin" | "site";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** "This host": what a server is told to listen on, and what some browsers lead any page here by. Nobody's own address. */
const UNSPECIFIED = new Set(["0.0.0.0", "[::]"]);
const ALLOWED: GuardResult = { allowed: true };

/** Decides whether a request may come in at all. Pure; authentication is a matter of its own. */
export function checkRequest(request: GuardedRequest, policy: GuardPolicy): GuardResult {
  const host = request.forwardedHost ?? single(request.rawHeaders, "host");
  if (host === undefined || !isOwnHost(host, policy)) return refused("host");

  const origins = valuesOf(request.rawHeaders, "origin");
  const origin = origins[0];
  if (origins.length > 1) return refused("origin");
  if (
    origin !== undefined &&
    origin !== `${request.scheme ?? "http"}://${host}` &&
    !policy.origins.includes(origin)
  ) {
    return refused("origin");
  }

  const sites = valuesOf(request.rawHeaders, "sec-fetch-site");
  const listed = origin !== undefined && policy.origins.includes(origin);
  if (listed || sites.every((site) => site === "same-origin" || site === "none")) return ALLOWED;
  return isLinkFollowed(request, policy) ? ALLOWED : refused("site");
}

/** The host name of a Host header, lower case and without port, or undefined where it is not plainly one. */
export function hostnameOf(host: string): string | undefined {
  const match = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host);
  return match?.[1]?.toLowerCase();
}

function isOwnHost(host: string, policy: GuardPolicy): boolean {
  const hostname = hostnameOf(host);
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

/** A link in a terminal or chat that the person clicked: a top-level GET of a page, never of data. */
function isLinkFollowed(request: GuardedRequest, policy: GuardPolicy): boolean {
  return (
    (request.method === "GET" || request.method === "HEAD") &&
    single(request.rawHeaders, "sec-fetch-mode") === "navigate" &&
    single(request.rawHeaders, "sec-fetch-dest") === "document" &&
    single(request.rawHeaders, "origin") === undefined &&
    policy.mayBeLinked(request.path) &&
    (request.route === undefined || policy.mayBeLinked(request.route))
  );
}

const NONE: readonly string[] = [];

function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  let values = NONE;
  let isValue = false;
  let isWanted = false;
  for (const text of rawHeaders) {
    if (!isValue) {
      // Every request comes by here: most names are told apart by their length alone, and most are not there at all.
      isWanted = text.length === name.length && text.toLowerCase() === name;
    } else if (isWanted) values = [...values, text];
    isValue = !isValue;
  }
  return values;
}

/** The header's value if it is there exactly once. Node keeps the first of two Host headers in silence. */
function single(rawHeaders: readonly string[], name: string): string | undefined {
  const values = valuesOf(rawHeaders, name);
  return values.length === 1 ? values[0] : undefined;
}

function refused(reason: GuardReason): GuardResult {
  return { allowed: false, reason };
}
