import { type OutboundProxy, proxyFor, readOutboundProxies } from "../config/outbound-proxy.ts";
import type { Environment } from "../config/paths.ts";

/** A `fetch` for other machines. */
export type OutboundFetch = (url: URL, request: OutboundRequest) => Promise<OutboundResponse>;

/** The parts of `RequestInit` and `Response` that undici and Node.js type alike. */
interface OutboundRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: "manual" | "error";
  readonly signal: AbortSignal;
}

export interface OutboundResponse extends Pick<Response, "ok" | "status" | "headers" | "text"> {
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
}

/** Maximum milliseconds for connecting through the HTTP proxy, and again for the TLS handshake with the server. */
const CONNECT_MS = 10_000;

/**
 * Creates a `fetch` that uses the HTTP proxies in `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`; the global `fetch` of
 * Node.js 20 and 22 ignores them. A call throws `configuration` if a variable does not name an HTTP proxy.
 */
export function createOutboundFetch(environment: Environment): OutboundFetch {
  const byProxy = new Map<string, Promise<OutboundFetch>>();
  return async (url, request) => {
    const proxy = proxyFor(readOutboundProxies(environment), url.origin);
    if (proxy === undefined) return fetch(url, request);
    const tunnel = byProxy.get(proxy.url) ?? openTunnelFetch(proxy);
    byProxy.set(proxy.url, tunnel);
    return (await tunnel)(url, request);
  };
}

/** Creates a `fetch` through an HTTP proxy. Loads undici only here, because most machines have no HTTP proxy. */
async function openTunnelFetch(proxy: OutboundProxy): Promise<OutboundFetch> {
  const [undici, { createTunnelConnector }] = await Promise.all([import("undici"), import("./tunnel.ts")]);
  const dispatcher = new undici.Agent({ connect: createTunnelConnector(proxy, CONNECT_MS) });
  return (url, request) => undici.fetch(url, { ...request, dispatcher });
}
