import { Pool } from "undici";

/** How many connections to one origin may be open; a stream holds one for its whole life. */
const CONNECTIONS = 4096;

/** One connection pool per origin, shared by all upstreams there and kept over a reload. */
export interface Pools {
  get(origin: string, connectMs: number): Pool;
  /** Lets go of origins that are not among these any more, once their calls have ended. */
  keepOnly(origins: ReadonlySet<string>): void;
  /** Breaks every call off. */
  destroy(): Promise<void>;
}

export function createPools(): Pools {
  const pools = new Map<string, { pool: Pool; connectMs: number }>();
  return {
    get(origin, connectMs) {
      const known = pools.get(origin);
      if (known && known.connectMs === connectMs) return known.pool;
      void known?.pool.close();
      const pool = new Pool(origin, {
        connections: CONNECTIONS,
        pipelining: 1,
        keepAliveTimeout: 10_000,
        keepAliveMaxTimeout: 60_000,
        // Streams are watched by our own limits; undici's 300 s would kill long thinking calls.
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: 65_536,
        connect: { timeout: connectMs },
      });
      pools.set(origin, { pool, connectMs });
      return pool;
    },
    keepOnly(origins) {
      for (const [origin, { pool }] of pools) {
        if (origins.has(origin)) continue;
        pools.delete(origin);
        void pool.close();
      }
    },
    async destroy() {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map(({ pool }) => pool.destroy()));
    },
  };
}
