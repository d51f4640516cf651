import type { IncomingHttpHeaders } from "node:http";
import type { ProxyKey } from "../../config/proxy/config.ts";
import { checkRequest, type GuardedRequest } from "../../http/guard.ts";
import { shownKeys } from "../auth/credentials.ts";
import { needsKey } from "../auth/policy.ts";
import { findProfile } from "../dialects/index.ts";
import type { Route } from "../routes.ts";
import type { Runtime } from "../runtime.ts";
import type { Services } from "../services.ts";

/** A request as the door sees it: nothing of its body. `rawHeaders` is Node's flat name, value, name, value … list. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  /** The URL without its query. */
  readonly path: string;
  /** The address at the other end of the connection: the client's, or a load balancer's. */
  readonly peer: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** Why a request is turned away. */
export type RefusalReason = "stopping" | "host" | "page" | "key" | "loop";

export interface Admission {
  /** The key that was shown and is right. */
  readonly key: ProxyKey | undefined;
  readonly refusal: RefusalReason | undefined;
}

/**
 * What every request passes before anything else of it is looked at, whichever route it takes or misses: is the proxy
 * open, is the host ours, does it come from somebody's web page, has it the key, has it been here before. `route` is
 * undefined where none matched.
 */
export function admit(
  arrival: Arrival,
  route: Route | undefined,
  runtime: Runtime,
  services: Services,
): Admission {
  const { url, path, headers } = arrival;
  if (services.isDraining()) return refused("stopping");
  const guarded = checkRequest(asForwarded(arrival, runtime), runtime.guard);
  const isForeignHost = !guarded.allowed && guarded.reason === "host" && !isProbe(arrival, route);
  if (isForeignHost && !mayShowKeyInstead(arrival, runtime)) return refused("host");
  const hasQueryKey = findProfile(route?.dialect ?? "")?.client.acceptsKeyInQuery === true;
  const queryToo = hasQueryKey && path.startsWith("/v1beta");
  const key = runtime.keys.find(shownKeys(headers, url, queryToo));
  if (key === undefined) {
    if (isForeignHost) return refused("host");
    if (!guarded.allowed && guarded.reason !== "host") return refused("page");
    if (needsKey(runtime.authMode, route?.operation)) return refused("key");
  }
  const isBack = headers["x-sallyport-via"]?.includes(services.via) === true;
  return { key, refusal: isBack ? "loop" : undefined };
}

/** What a trusted proxy in front says of the request's address. Most have none, and are taken as they are. */
function asForwarded(arrival: Arrival, { forwarding, config }: Runtime): GuardedRequest {
  if (config.trustedProxies.length === 0) return arrival;
  const { peer, headers } = arrival;
  return {
    ...arrival,
    forwardedHost: forwarding.host(peer, headers),
    scheme: forwarding.scheme(peer, headers),
  };
}

/**
 * Returns whether a right key makes up for a foreign Host. It does where keys are needed: a page that rebinds DNS cannot
 * know one. In `off` clients of this machine may hold keys of other services, and the Host is all there is to go by.
 */
function mayShowKeyInstead({ rawHeaders }: Arrival, { authMode }: Runtime): boolean {
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host");
  return authMode !== "off" && hosts.length < 2;
}

/** Health checks of load balancers speak HTTP/1.0 without a Host. Every browser sends one. */
function isProbe({ method, headers }: Arrival, route: Route | undefined): boolean {
  if (headers.host !== undefined || (method !== "GET" && method !== "HEAD")) return false;
  return route?.operation === "health" || route?.operation === "readiness";
}

function refused(refusal: RefusalReason): Admission {
  return { key: undefined, refusal };
}
