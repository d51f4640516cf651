import { buildConnector, type Dispatcher, Pool } from "undici";
import { type OutboundProxies, proxyFor } from "../../config/outbound-proxy.ts";
import type { UpstreamConfig } from "../../config/proxy/config.ts";
import { createTunnelConnector } from "../../http/tunnel.ts";
import { parseBaseUrl } from "./clients.ts";
import { ResponsesSockets } from "./responses-sockets.ts";
import { skippingContinue } from "./skip-continue.ts";

/** Maximum number of connections in one pool. A stream occupies its connection until it ends. */
const CONNECTIONS = 4096;

/** Identifies a pool: the parameters of `Pools.get`. */
export interface PoolKey {
  readonly origin: string;
  readonly connectMs: number;
}

/** Connection pools, which are kept across reloads. Upstreams with the same origin and connect timeout share a pool. */
export interface Pools {
  /** Returns the pool of an origin. `connectMs` is the connect timeout. */
  get(origin: string, connectMs: number): Pool;
  /**
   * Returns the dispatcher of an upstream's requests: its pool, its WebSockets or the adapter of its cloud platform.
   */
  dispatcher(upstream: UpstreamConfig): Pick<Dispatcher, "dispatch">;
  /** Returns the number of calls that wait because all connections to their origin are in use. */
  queued(): number;
  /** Closes every pool except the wanted ones, once its calls have ended. */
  keepOnly(wanted: readonly PoolKey[]): void;
  /** Aborts every call and closes every connection. */
  destroy(): Promise<void>;
}

/**
 * Creates an empty set of pools, which are opened on first use. `proxies` are the HTTP proxies that environment
 * variables such as `HTTPS_PROXY` name.
 */
export function createPools(proxies?: OutboundProxies, connections = CONNECTIONS): Pools {
  const byOrigin = new Map<string, Map<number, Pool>>();
  const sockets = new ResponsesSockets();
  const pools: Pools = {
    get(origin, connectMs) {
      const known = byOrigin.get(origin)?.get(connectMs);
      if (known) return known;
      const pool = openPool(origin, connectMs, proxies, connections);
      const others = byOrigin.get(origin) ?? new Map<number, Pool>();
      byOrigin.set(origin, others.set(connectMs, pool));
      return pool;
    },
    dispatcher(upstream) {
      const { platform, baseUrl, timeouts } = upstream;
      if (platform === undefined) {
        const pool = pools.get(parseBaseUrl(baseUrl).origin, timeouts.connectMs);
        if (upstream.webSocket !== true) return pool;
        return { dispatch: (options, handler) => sockets.dispatch(pool, upstream, options, handler) };
      }
      return {
        dispatch(options, handler) {
          void import("./platforms/platform.ts").then(({ dispatchOnPlatform }) =>
            dispatchOnPlatform(pools, { upstream, platform }, options, handler),
          );
          return true;
        },
      };
    },
    queued() {
      const all = [...byOrigin.values()].flatMap((pools) => [...pools.values()]);
      return all.reduce((sum, pool) => sum + pool.stats.queued, 0);
    },
    keepOnly(wanted) {
      for (const [origin, pools] of byOrigin) {
        for (const [connectMs, pool] of pools) {
          if (wanted.some((key) => key.origin === origin && key.connectMs === connectMs)) continue;
          pools.delete(connectMs);
          void pool.close();
        }
        if (pools.size === 0) byOrigin.delete(origin);
      }
    },
    async destroy() {
      const all = [...byOrigin.values()].flatMap((pools) => [...pools.values()]);
      byOrigin.clear();
      sockets.close();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
  return pools;
}

function openPool(
  origin: string,
  connectMs: number,
  proxies: OutboundProxies | undefined,
  connections: number,
): Pool {
  const proxy = proxies && proxyFor(proxies, origin);
  return new Pool(origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    // The proxy sets its own limits per call; undici's default of 300 s would end calls with long thinking.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 65_536,
    connect: skippingContinue(
      proxy ? createTunnelConnector(proxy, connectMs) : buildConnector({ timeout: connectMs }),
    ),
  });
}
