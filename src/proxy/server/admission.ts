import type { IncomingHttpHeaders } from "node:http";
import type { ProxyKey } from "../../config/proxy/config.ts";
import { AppError } from "../../errors.ts";
import { checkRequest, type GuardedRequest } from "../../http/guard.ts";
import { collectKeys } from "../auth/credentials.ts";
import { isApiOperation, mayCall, needsKey } from "../auth/policy.ts";
import { findProfile } from "../dialects/index.ts";
import type { Route } from "../routes.ts";
import type { Runtime } from "../runtime.ts";
import type { Services } from "../services.ts";

/** A request before admission, without its body. `rawHeaders` is Node's flat list of names and values. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  /** The URL without its query. */
  readonly path: string;
  /** The remote address of the connection: that of the client or of a load balancer. */
  readonly peer: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** The reason why a request is rejected. `page` means that a web page has sent the request. */
export type RefusalReason = "stopping" | "host" | "page" | "key" | "role" | "loop";

export interface Admission {
  /**
   * The valid key that the client has sent, if any. Undefined also for a rejected request, unless `refusal` is `role` or
   * `loop`.
   */
  readonly key: ProxyKey | undefined;
  readonly refusal: RefusalReason | undefined;
}

/**
 * Checks a request before it is served: stopping proxy, Host, cross-site, API key, role, forwarding loop. `route` is
 * undefined if no route matched.
 */
export function admit(
  arrival: Arrival,
  route: Route | undefined,
  runtime: Runtime,
  services: Services,
): Admission {
  const { url, path, headers } = arrival;
  if (services.isClosing()) return refused("stopping");
  const guarded = checkRequest(asForwarded(arrival, runtime), runtime.guard);
  const isForeignHost = !guarded.allowed && guarded.reason === "host" && !isProbe(arrival, route);
  if (isForeignHost && !acceptsKeyInsteadOfHost(arrival, runtime)) return refused("host");
  const hasQueryKey = findProfile(route?.dialect ?? "")?.client.acceptsKeyInQuery === true;
  const queryToo = hasQueryKey && /^\/(?:v1beta|ws\/|(?:up|down)load\/)/.test(path);
  const key = runtime.keys.find(collectKeys(headers, url, queryToo));
  if (key === undefined) {
    if (isForeignHost) return refused("host");
    if (!guarded.allowed && guarded.reason !== "host") return refused("page");
    if (needsKey(runtime.authMode, route?.operation)) return refused("key");
  } else {
    if (isApiOperation(route?.operation) && !guarded.allowed)
      return refused(guarded.reason === "host" ? "host" : "page");
    if (!mayCall(key, route?.operation)) return { key, refusal: "role" };
  }
  const isBack = headers["x-sallyport-via"]?.includes(services.instanceId) === true;
  return { key, refusal: isBack ? "loop" : undefined };
}

/**
 * Adds the listener's scheme, or the host and scheme that a trusted proxy has forwarded. Returns the request unchanged
 * if the listener has no TLS and there are no trusted proxies.
 */
function asForwarded(arrival: Arrival, { forwarding, config }: Runtime): GuardedRequest {
  if (config.trustedProxies.length === 0 && config.tls === undefined) return arrival;
  const { peer, headers } = arrival;
  return {
    ...arrival,
    forwardedHost: forwarding.host(peer, headers),
    scheme: forwarding.scheme(peer, headers),
  };
}

/**
 * Returns whether a valid key permits a Host that is not allowed, except on `/api/admin/v1` and `/api/me/v1`. It does
 * if keys are required, because a page that uses DNS rebinding has no key. If authentication is off, clients may send
 * the keys of other services, so a key proves nothing. A request with several Host headers is never permitted.
 */
function acceptsKeyInsteadOfHost({ rawHeaders }: Arrival, { authMode }: Runtime): boolean {
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host");
  return authMode !== "off" && hosts.length < 2;
}

/**
 * Returns whether a request is a health check of a load balancer, which may use HTTP/1.0 without a Host header.
 * Browsers always send that header.
 */
function isProbe({ method, headers }: Arrival, route: Route | undefined): boolean {
  if (headers.host !== undefined || (method !== "GET" && method !== "HEAD")) return false;
  return route?.operation === "health" || route?.operation === "readiness";
}

function refused(refusal: RefusalReason): Admission {
  return { key: undefined, refusal };
}

/** Creates the error for a request on a connection above the limit of connections. */
export function createConnectionLimitError(): AppError {
  return new AppError(
    "overloaded",
    "The proxy has reached its limit of connections. Retry later, or raise proxy.limits.connections or the process's limit of open files.",
  );
}

/** Creates the error for a rejected request. `host` is the name by which the client called the proxy. */
export function createRefusal(refusal: RefusalReason, host: string | undefined): AppError {
  switch (refusal) {
    case "stopping":
      return new AppError("overloaded", "The proxy is stopping");
    case "host":
      return new AppError(
        "forbidden",
        `Host header not allowed: ${JSON.stringify((host ?? "").slice(0, 100))}. Use localhost, or add the name to proxy.hostnames or proxy.public_url.`,
      );
    case "page":
      return new AppError(
        "forbidden",
        "This request comes from a web page. Add the page's origin to proxy.allowed_origins or, on routes other than /api/admin/v1 and /api/me/v1, send a valid API key of this proxy.",
      );
    case "key":
      return new AppError("unauthorized", "A valid API key of this proxy is required");
    case "role":
      return new AppError("forbidden", "This key's role does not allow this request");
    case "loop":
      return new AppError(
        "loop",
        "This call has passed through this proxy before: the base_url of an upstream leads back to it",
      );
  }
}
