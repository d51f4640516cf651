import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Limits } from "../../../src/config/proxy/limits.ts";
import type { LostReservation, Reservation } from "../../../src/proxy/gateway/limits.ts";
import { createFailover } from "../../../src/proxy/gateway/limits-failover.ts";
import { createMemoryLimits } from "../../../src/proxy/gateway/limits-memory.ts";
import { connectRedis, type RedisConnection } from "../../../src/proxy/gateway/redis-connection.ts";
import { createRedisLimits } from "../../../src/proxy/gateway/redis-limits.ts";
import { type RedisServer, startRedis } from "../../support/servers.ts";

let server: RedisServer;
const closers: (() => void)[] = [];

beforeAll(async () => {
  server = await startRedis();
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
afterAll(() => server?.remove());

let serial = 0;
function unique(): string {
  serial += 1;
  return `s${serial}`;
}
function reservation(subject: string, limits: Limits, values: Partial<Reservation> = {}): Reservation {
  const subjects = [{ id: `key:${subject}`, label: `the key "${subject}"`, limits }];
  return { id: unique(), subjects, tokens: 0, micros: 0, inputMicros: 0, totalMs: 0, ...values };
}

async function replica(lost: LostReservation[] = []) {
  const connection: RedisConnection = await connectRedis(server.url, () => {});
  const limits = createRedisLimits(connection, { replica: unique(), onLost: (one) => lost.push(one) });
  closers.push(() => {
    limits.close();
    connection.close();
  });
  return { connection, limits };
}

describe("limits in Redis", () => {
  it("decide as those in memory do, call by call", async () => {
    const { limits: redis } = await replica();
    const now = Date.now();
    const memory = createMemoryLimits(() => now);
    const subject = unique();
    // Rates that do not refill noticeably while the test runs.
    const limits: Limits = {
      rpm: 40,
      tpm: 5_000,
      concurrency: 4,
      budgets: [
        { usd: 3, period: "month" },
        { usd: 9, period: "total" },
      ],
    };
    const open: Reservation[] = [];
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let step = 0; step < 200; step += 1) {
      const ended = random(3) === 0 ? open.shift() : undefined;
      if (ended) {
        const used = { tokens: random(150), micros: random(90_000) };
        memory.settle(ended, used);
        await redis.settle(ended, used);
        continue;
      }
      const next = reservation(subject, limits, { tokens: random(150), micros: random(200_000) });
      const [expected, actual] = [await memory.reserve(next), await redis.reserve(next)];
      expect(actual.excess?.limit).toBe(expected.excess?.limit);
      expect(actual.excess?.budget).toBe(expected.excess?.budget);
      expect(actual.states[0]?.budgets).toEqual(expected.states[0]?.budgets);
      expect(actual.states[0]?.concurrency).toEqual(expected.states[0]?.concurrency);
      if (expected.excess === undefined) open.push(next);
    }
  });

  it("are exact over two replicas at once", async () => {
    const [one, two] = [await replica(), await replica()];
    const subject = unique();
    const limits: Limits = { budgets: [{ usd: 37, period: "total" }] };
    const calls = Array.from({ length: 200 }, (_, index) =>
      (index % 2 ? one : two).limits.reserve(reservation(subject, limits, { micros: 1_000_000 })),
    );
    const admitted = (await Promise.all(calls)).filter(({ excess }) => excess === undefined);
    expect(admitted).toHaveLength(37);
    const slots = Array.from({ length: 60 }, (_, index) =>
      (index % 2 ? one : two).limits.reserve(reservation(`${subject}p`, { concurrency: 7 })),
    );
    expect((await Promise.all(slots)).filter(({ excess }) => excess === undefined)).toHaveLength(7);
  });

  it("release what a dead replica had reserved, and charge its estimated input", async () => {
    const lost: LostReservation[] = [];
    const [dead, alive] = [await replica(), await replica(lost)];
    const subject = unique();
    const limits: Limits = { concurrency: 1, budgets: [{ usd: 1, period: "day" }] };
    const orphan = reservation(subject, limits, {
      micros: 1_000_000,
      inputMicros: 250_000,
      totalMs: 300,
      meta: "{}",
    });
    expect((await dead.limits.reserve(orphan)).excess).toBeUndefined();
    expect((await alive.limits.reserve(reservation(subject, limits))).excess?.limit).toBe("concurrency");
    await expect
      .poll(async () => (await alive.limits.reserve(reservation(subject, limits))).excess)
      .toBeUndefined();
    const [state] = await alive.limits.read(orphan.subjects);
    expect(state?.budgets[0]?.remainingMicros).toBe(750_000);
    expect(lost).toEqual([{ id: orphan.id, micros: 250_000, meta: "{}" }]);
    // The replica was only slow: the rest of the cost is charged.
    await dead.limits.settle(orphan, { tokens: 0, micros: 400_000 });
    expect((await alive.limits.read(orphan.subjects))[0]?.budgets[0]?.remainingMicros).toBe(600_000);
  });

  it("are primed with what was spent before, once", async () => {
    const { limits: redis } = await replica();
    const subject = unique();
    await redis.prime(`key:${subject}`, "total", 0, 700_000);
    await redis.prime(`key:${subject}`, "total", 0, 0);
    const limits: Limits = { budgets: [{ usd: 1, period: "total" }] };
    const { excess } = await redis.reserve(reservation(subject, limits, { micros: 300_001 }));
    expect(excess).toMatchObject({ limit: "budget", neverFits: false });
  });
});

describe("while Redis is unreachable", () => {
  it("each replica enforces its share, and what it spends is charged afterwards", async () => {
    // Forgets the replicas of other tests, which count for a minute.
    await server.stop();
    await server.start();
    const parts = [await replica(), await replica()];
    const subject = unique();
    const limits: Limits = { rpm: 20, budgets: [{ usd: 10, period: "total" }] };
    const stores = parts.map(({ limits: redis, connection }) =>
      createFailover(redis, connection, () => "local"),
    );
    const call = () => reservation(subject, limits, { micros: 1_000_000 });
    for (const store of stores) expect((await store.reserve(call())).excess).toBeUndefined();
    await server.stop();
    await expect.poll(() => parts.some(({ connection }) => connection.isReady)).toBe(false);
    let admitted = 0;
    for (let count = 0; count < 40; count += 1) {
      const store = stores[count % 2];
      const next = call();
      if (!store || (await store.reserve(next)).excess) continue;
      admitted += 1;
      store.settle(next, { tokens: 0, micros: 1_000_000 });
    }
    expect(admitted).toBeGreaterThanOrEqual(6);
    expect(admitted).toBeLessThanOrEqual(8);
    await server.start();
    await expect.poll(() => parts.every(({ connection }) => connection.isReady)).toBe(true);
    const [store] = stores;
    const left = 10_000_000 - admitted * 1_000_000;
    await expect
      .poll(async () => (await store?.read(call().subjects))?.[0]?.budgets[0]?.remainingMicros)
      .toBe(left);
  });

  it("calls are rejected with redis_failure refuse", async () => {
    const { limits: redis, connection } = await replica();
    const store = createFailover(redis, connection, () => "refuse");
    await server.stop();
    await expect.poll(() => connection.isReady).toBe(false);
    await expect(async () => store.reserve(reservation(unique(), { rpm: 1 }))).rejects.toMatchObject({
      status: 503,
    });
    await server.start();
  });
});
