import type { Readable } from "node:stream";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { limitWait } from "./limit-wait.ts";
import type { PoolKey, Pools } from "./pools.ts";
import { Relay } from "./relay.ts";
import type { RelayOutcome, RelayTask } from "./relay-task.ts";
import { type HeaderNeeds, upstreamHeaders } from "./request-headers.ts";
import { type ReceivedResponse, sendUpstream, type UpstreamSend } from "./send.ts";

/** A call to relay. `relayTo` filters the client's headers and adds the upstream's credentials. */
export interface RelayedRequest {
  readonly method: string;
  /** The path below the base URL, with its query. */
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer | Readable | null;
  readonly needs: HeaderNeeds;
}

/** Relays one attempt. Resolves with the outcome once the attempt has ended, even if it has failed. */
export function relayTo(
  pools: Pools,
  upstream: UpstreamConfig,
  request: RelayedRequest,
  task: RelayTask,
): Promise<RelayOutcome> {
  const { prefix, query } = parseBaseUrl(upstream.baseUrl);
  const dispatcher = pools.dispatcher(upstream);
  const headers = upstreamHeaders(request.rawHeaders, upstream, request.needs);
  return new Promise((resolve) => {
    const relay = new Relay(task, upstream.timeouts.firstByteMs, resolve);
    const isFree = dispatcher.dispatch(
      {
        method: request.method,
        path: withQuery(`${prefix}${request.path}`, query),
        headers,
        body: request.body,
        headersTimeout: upstream.timeouts.firstByteMs,
        bodyTimeout: upstream.timeouts.idleMs,
      },
      relay,
    );
    if (!isFree) limitWait(relay, upstream.name, upstream.timeouts.firstByteMs);
  });
}

/**
 * Sends a request that the proxy has created or translated. Resolves when the head of the response has arrived; rejects
 * with an `AppError`.
 */
export function sendTo(
  pools: Pools,
  upstream: UpstreamConfig,
  request: Omit<UpstreamSend, "firstByteMs" | "idleMs"> & { readonly firstByteMs?: number },
): Promise<ReceivedResponse> {
  const { prefix, query } = parseBaseUrl(upstream.baseUrl);
  return sendUpstream(pools.dispatcher(upstream), upstream.name, {
    firstByteMs: upstream.timeouts.firstByteMs,
    idleMs: upstream.timeouts.idleMs,
    ...request,
    path: withQuery(`${prefix}${request.path}`, query),
  });
}

/** Returns the key of the pool that serves an upstream. */
export function toPoolKey({ baseUrl, timeouts }: UpstreamConfig): PoolKey {
  return { origin: parseBaseUrl(baseUrl).origin, connectMs: timeouts.connectMs };
}

/** Appends the base URL's own query, such as `api-version=…`, to a path. */
export function withQuery(path: string, query: string): string {
  return query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
}

interface BaseUrl {
  readonly origin: string;
  readonly hostname: string;
  readonly prefix: string;
  /** The query without its question mark. */
  readonly query: string;
}

const baseUrls = new Map<string, BaseUrl>();

/** Parses a base URL; results are cached. */
export function parseBaseUrl(baseUrl: string): BaseUrl {
  const known = baseUrls.get(baseUrl);
  if (known) return known;
  const url = new URL(baseUrl);
  const parsed = {
    origin: url.origin,
    hostname: url.hostname,
    prefix: url.pathname.replace(/\/$/, ""),
    query: url.search.slice(1),
  };
  baseUrls.set(baseUrl, parsed);
  return parsed;
}
