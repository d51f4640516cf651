import { buildConnector, Pool } from "undici";
import { type OutboundProxies, proxyFor } from "../../config/outbound-proxy.ts";
import { skippingContinue } from "./skip-continue.ts";
import { createTunnelConnector } from "./tunnel.ts";

/** How many connections to one origin may be open; a stream holds one for its whole life. */
const CONNECTIONS = 4096;

/** What `get` is asked for. */
export interface PoolKey {
  readonly origin: string;
  readonly connectMs: number;
}

/** Connection pools, shared by the upstreams of an origin and kept over a reload. */
export interface Pools {
  /** `connectMs`: how long it may take to be connected. */
  get(origin: string, connectMs: number): Pool;
  /** Returns how many calls wait for a connection because an origin has as many as it may. */
  queued(): number;
  /** Lets go of all but these, once their calls have ended. */
  keepOnly(wanted: readonly PoolKey[]): void;
  /** Breaks every call off. */
  destroy(): Promise<void>;
}

/** Pools that are opened when they are first asked for. `proxies`: the HTTP proxies of the environment. */
export function createPools(proxies?: OutboundProxies, connections = CONNECTIONS): Pools {
  const byOrigin = new Map<string, Map<number, Pool>>();
  return {
    get(origin, connectMs) {
      const known = byOrigin.get(origin)?.get(connectMs);
      if (known) return known;
      const pool = openPool(origin, connectMs, proxies, connections);
      // Upstreams may share an origin and yet wait differently long for a connection.
      const others = byOrigin.get(origin) ?? new Map<number, Pool>();
      byOrigin.set(origin, others.set(connectMs, pool));
      return pool;
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
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
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
    // Streams are watched by our own limits; undici's 300 s would kill long thinking calls.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 65_536,
    connect: skippingContinue(
      proxy ? createTunnelConnector(proxy, connectMs) : buildConnector({ timeout: connectMs }),
    ),
  });
}
