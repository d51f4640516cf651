import { createClient } from "@redis/client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { UpstreamConfig } from "../../../src/config/proxy/config.ts";
import type { Limits } from "../../../src/config/proxy/limits.ts";
import type { LimitStore, LostReservation, Reservation } from "../../../src/proxy/gateway/limits.ts";
import { createFailover } from "../../../src/proxy/gateway/limits-failover.ts";
import { createMemoryLimits } from "../../../src/proxy/gateway/limits-memory.ts";
import type { BudgetAccount } from "../../../src/proxy/gateway/limits-spent.ts";
import { connectRedis, type RedisConnection } from "../../../src/proxy/gateway/redis-connection.ts";
import { createRedisCooldowns } from "../../../src/proxy/gateway/redis-cooldowns.ts";
import { createRedisLimits, type RedisLimits, toScript } from "../../../src/proxy/gateway/redis-limits.ts";
import type { AttemptOutcome } from "../../../src/proxy/routing/attempts.ts";
import { createCooldowns } from "../../../src/proxy/routing/cooldowns.ts";
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
  return { id: unique(), subjects, calls: 1, tokens: 0, micros: 0, inputMicros: 0, totalMs: 0, ...values };
}

/** Connects a replica whose clock is `skewMs` ahead. */
async function replica(lost: LostReservation[] = [], skewMs = 0) {
  const connection: RedisConnection = await connectRedis(
    () => server.url,
    () => {},
  );
  const limits = createRedisLimits(connection, {
    replica: unique(),
    onLost: (one) => lost.push(one),
    now: () => Date.now() + skewMs,
  });
  closers.push(() => {
    limits.close();
    connection.close();
  });
  return { connection, limits };
}

/** Makes Redis delay the commands that it receives by `ms`. */
async function pauseRedis(ms: number): Promise<void> {
  const client = await createClient({ url: server.url }).connect();
  await client.sendCommand(["CLIENT", "PAUSE", String(ms), "ALL"]);
  client.destroy();
}

describe("limits in Redis", () => {
  it("decide like those in memory, call by call", async () => {
    const { limits: redis } = await replica();
    const memory = createMemoryLimits();
    // Memory and Redis read their clocks at different times. A call and a token take 4 s and more to drain, and each
    // subject gets few calls, so that this difference decides nothing, even on a busy machine.
    const budgets: Limits["budgets"] = [
      { usd: 0.4, period: "month" },
      { usd: 0.5, period: "total" },
    ];
    const sets: Limits[] = [
      { rpm: 15 },
      { tpm: 12 },
      { concurrency: 4 },
      { budgets },
      { rpm: 15, tpm: 12, concurrency: 4, budgets },
    ];
    const reached = new Set<string | undefined>();
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (const limits of [...sets, ...sets]) {
      const subject = unique();
      const open: Reservation[] = [];
      for (let step = 0; step < 20; step += 1) {
        const ended = random(3) === 0 ? open.shift() : undefined;
        if (ended) {
          const used = { tokens: random(3), micros: random(90_000) };
          memory.settle(ended, used);
          await redis.settle(ended, used);
          continue;
        }
        const next = reservation(subject, limits, {
          calls: random(3) === 0 ? random(7) : 1,
          tokens: random(3),
          micros: random(200_000),
        });
        const [expected, actual] = [await memory.reserve(next), await redis.reserve(next)];
        expect(actual.excess?.limit).toBe(expected.excess?.limit);
        expect(actual.excess?.budget).toEqual(expected.excess?.budget);
        expect(actual.excess?.neverFits).toBe(expected.excess?.neverFits);
        expect(actual.states[0]?.budgets).toEqual(expected.states[0]?.budgets);
        expect(actual.states[0]?.concurrency).toEqual(expected.states[0]?.concurrency);
        reached.add(expected.excess?.limit);
        if (expected.excess === undefined) open.push(next);
      }
    }
    expect(reached).toEqual(new Set(["budget", "concurrency", "rpm", "tpm", undefined]));
  });

  it("reserve the additional tokens of a fallback only if they fit, as those in memory do", async () => {
    const { limits: redis } = await replica();
    for (const store of [redis, createMemoryLimits()]) {
      const subject = unique();
      const reserve = async (calls: number, tokens: number) => {
        const { excess } = await store.reserve(reservation(subject, { rpm: 1, tpm: 60 }, { calls, tokens }));
        return excess?.limit;
      };
      expect(await reserve(1, 10)).toBeUndefined();
      expect(await reserve(0, 45)).toBeUndefined();
      expect(await reserve(0, 45)).toBe("tpm");
      expect(await reserve(0, 0)).toBeUndefined();
    }
  });

  it("count a call once for two budgets of the same period, as those in memory do", async () => {
    const { limits: redis } = await replica();
    const limits: Limits = {
      budgets: [
        { usd: 10, period: "day" },
        { usd: 6, period: "day" },
      ],
    };
    for (const store of [redis, createMemoryLimits()]) {
      const call = reservation(unique(), limits, { micros: 4_000_000 });
      const left = async () =>
        (await store.read(call.subjects))[0]?.budgets.map((budget) => budget.remainingMicros);
      const { states } = await store.reserve(call);
      expect(states[0]?.budgets.map((budget) => budget.remainingMicros)).toEqual([6_000_000, 2_000_000]);
      expect(await left()).toEqual([6_000_000, 2_000_000]);
      await store.settle(call, { tokens: 0, micros: 3_000_000 });
      expect(await left()).toEqual([7_000_000, 3_000_000]);
    }
    const call = reservation(unique(), limits);
    await redis.charge(call.subjects, 1_000_000);
    const [state] = await redis.read(call.subjects);
    expect(state?.budgets.map((budget) => budget.remainingMicros)).toEqual([9_000_000, 5_000_000]);
  });

  it("continue to drain after the clock of Redis was set back", async () => {
    const { limits: store, connection } = await replica();
    const subject = unique();
    const reserve = async () =>
      (await store.reserve(reservation(subject, { rpm: 1, tpm: 1 }, { tokens: 1 }))).excess?.limit;
    expect([await reserve(), await reserve()]).toEqual([undefined, "rpm"]);
    // The times that Redis has stored are then an hour ahead.
    const ahead = toScript(`for _, name in ipairs({'rt', 'tt'}) do
      redis.call('HINCRBY', ARGV[1], name, 3600000000)
    end`);
    await connection.run(ahead, [`{sallyport}:s:key:${subject}`]);
    expect([await reserve(), await reserve()]).toEqual([undefined, "rpm"]);
  });

  it("delete an account after its period, also if a call that has reserved nothing created it", async () => {
    const { limits: store, connection } = await replica();
    const { subjects } = reservation(unique(), { budgets: [{ usd: 1, period: "day" }] });
    await store.charge(subjects, 1_000);
    const find = toScript("return redis.call('PTTL', redis.call('KEYS', ARGV[1])[1])");
    const ttl = await connection.run(find, [`{sallyport}:b:${subjects[0]?.id}:*`]);
    expect(Number(ttl)).toBeGreaterThan(2 * 86_400_000);
    expect(Number(ttl)).toBeLessThanOrEqual(3 * 86_400_000);
  });

  it("charge a call that has reserved nothing", async () => {
    const { limits: redis } = await replica();
    const limits: Limits = { concurrency: 1, budgets: [{ usd: 1, period: "day" }] };
    const free = reservation(unique(), limits);
    await redis.reserve(free);
    await redis.settle(free, { tokens: 0, micros: 250_000 });
    const [state] = await redis.read(free.subjects);
    expect(state).toMatchObject({ concurrency: { remaining: 1 }, budgets: [{ remainingMicros: 750_000 }] });
  });

  it("are exact over two replicas", async () => {
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

  it("release the reservations of a dead replica, and charge their estimated input", async () => {
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
    // The replica was only slow, so the rest of the cost is charged.
    await dead.limits.settle(orphan, { tokens: 0, micros: 400_000 });
    expect((await alive.limits.read(orphan.subjects))[0]?.budgets[0]?.remainingMicros).toBe(600_000);
  });

  it("are exact over replicas whose clocks differ by 30 s in either direction", async () => {
    const lost: LostReservation[] = [];
    const replicas = await Promise.all([-30_000, 0, 30_000].map((skewMs) => replica(lost, skewMs)));
    const subject = unique();
    const limits: Limits = {
      rpm: 50,
      concurrency: 40,
      budgets: [
        { usd: 37, period: "day" },
        { usd: 90, period: "total" },
      ],
    };
    const calls = Array.from({ length: 200 }, async (_, index) => {
      const call = reservation(subject, limits, { micros: 1_000_000, totalMs: 60_000 });
      const decision = await replicas[index % 3]?.limits.reserve(call);
      return decision?.excess === undefined ? [call] : [];
    });
    const admitted = (await Promise.all(calls)).flat();
    expect(admitted).toHaveLength(37);
    // A renewal by any clock keeps them open.
    const [state] = (await replicas[0]?.limits.read(admitted[0]?.subjects ?? [])) ?? [];
    expect(state?.concurrency).toEqual({ remaining: 3 });
    expect(state?.budgets.map(({ remainingMicros }) => remainingMicros)).toEqual([0, 53_000_000]);
    for (const [index, call] of admitted.entries())
      await replicas[(index + 1) % 3]?.limits.settle(call, { tokens: 0, micros: 400_000 });
    for (const { limits: store } of replicas) {
      const [after] = await store.read(admitted[0]?.subjects ?? []);
      expect(after?.concurrency).toEqual({ remaining: 40 });
      expect(after?.budgets.map(({ remainingMicros }) => remainingMicros)).toEqual([22_200_000, 75_200_000]);
    }
    expect(lost).toEqual([]);
  });

  it("include the amounts spent before, once", async () => {
    const { limits: redis } = await replica();
    const subject = unique();
    await redis.prime({ subject: `key:${subject}`, period: "total", start: 0, micros: 700_000 });
    await redis.prime({ subject: `key:${subject}`, period: "total", start: 0, micros: 0 });
    const limits: Limits = { budgets: [{ usd: 1, period: "total" }] };
    const { excess } = await redis.reserve(reservation(subject, limits, { micros: 300_001 }));
    expect(excess).toMatchObject({ limit: "budget", neverFits: false });
  });

  it("are raised, as those in memory are, for a budget that is added again", async () => {
    const { limits: redis } = await replica();
    for (const store of [redis, createMemoryLimits()]) {
      const { subjects } = reservation(unique(), { budgets: [{ usd: 1, period: "total" }] });
      const spent = { subject: subjects[0]?.id ?? "", period: "total" as const, start: 0 };
      const left = async () => (await store.read(subjects))[0]?.budgets[0]?.remainingMicros;
      await store.prime({ ...spent, micros: 200_000 });
      await store.prime({ ...spent, micros: 700_000, isAdded: true });
      expect(await left()).toBe(300_000);
      await store.prime({ ...spent, micros: 400_000, isAdded: true });
      expect(await left()).toBe(300_000);
    }
  });
});

describe("while Redis is unreachable", () => {
  it("each replica enforces its share, and its spending is charged afterwards", async () => {
    // Removes the replicas of other tests, which count for a minute.
    await server.stop();
    await server.start();
    const parts = [await replica(), await replica()];
    const subject = unique();
    const limits: Limits = { rpm: 20, budgets: [{ usd: 10, period: "total" }] };
    const stores = parts.map(({ limits: redis, connection }) =>
      createFailover(redis, connection, () => "local"),
    );
    const call = () => reservation(subject, limits, { micros: 1_000_000 });
    // A replica detects the others from the responses of Redis.
    await expect
      .poll(async () => {
        for (const { limits: redis } of parts) await redis.read(call().subjects);
        return parts.map(({ limits: redis }) => redis.replicas);
      })
      .toEqual([2, 2]);
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

  it("budgets are read from the ledger when Redis has lost its data", async () => {
    const { limits: redis, connection } = await replica();
    const subject = unique();
    const call = () =>
      reservation(subject, { budgets: [{ usd: 10, period: "total" }] }, { micros: 1_000_000 });
    const account = { subject: `key:${subject}`, period: "total" as const };
    const store = createFailover(redis, connection, () => "local", {
      accounts: () => [account],
      spent: async (accounts) => accounts.map((each) => ({ ...each, start: 0, micros: 4_000_000 })),
      replicas: async () => 1,
    });
    const counted = call();
    await store.reserve(counted);
    store.settle(counted, { tokens: 0, micros: 1_000_000 });
    await server.stop();
    await expect.poll(() => connection.isReady).toBe(false);
    expect(store.redisState?.()).toMatchObject({ status: "down" });
    const meanwhile = call();
    await store.reserve(meanwhile);
    store.settle(meanwhile, { tokens: 0, micros: 1_000_000 });
    await server.start();
    // The ledger has the call of the outage too.
    await expect.poll(async () => (await redis.examine([account])).missing).toEqual([]);
    expect((await redis.read(call().subjects))[0]?.budgets[0]?.remainingMicros).toBe(6_000_000);
    expect(store.redisState?.()).toEqual({ status: "ok", reason: null });
  });

  it("budgets are read from the ledger although Redis does not respond at once", async () => {
    const { limits: redis, connection } = await replica();
    const subject = unique();
    const call = () =>
      reservation(subject, { budgets: [{ usd: 10, period: "total" }] }, { micros: 1_000_000 });
    const account = { subject: `key:${subject}`, period: "total" as const };
    let isBack = false;
    let failures = 0;
    const hesitant: RedisLimits = Object.assign(Object.create(redis), {
      async examine(accounts: readonly BudgetAccount[]) {
        if (isBack && failures < 2) {
          failures += 1;
          throw new Error("Redis does not respond");
        }
        return redis.examine(accounts);
      },
    });
    const store = createFailover(hesitant, connection, () => "local", {
      accounts: () => [account],
      spent: async (accounts) => accounts.map((each) => ({ ...each, start: 0, micros: 4_000_000 })),
      replicas: async () => 1,
    });
    await server.stop();
    await expect.poll(() => connection.isReady).toBe(false);
    const spend = async (count: number) => {
      let admitted = 0;
      for (let index = 0; index < count; index += 1) {
        const next = call();
        if ((await store.reserve(next)).excess !== undefined) continue;
        store.settle(next, { tokens: 0, micros: 1_000_000 });
        admitted += 1;
      }
      return admitted;
    };
    await store.reserve(reservation(unique(), { rpm: 1 }));
    expect(await spend(20)).toBe(6);
    isBack = true;
    await server.start();
    await expect.poll(() => failures).toBe(2);
    // Until the ledger has been read, nothing is admitted beyond this replica's share.
    expect(await spend(20)).toBe(0);
    await expect.poll(() => store.redisState?.().status).toBe("ok");
    expect((await redis.read(call().subjects))[0]?.budgets[0]?.remainingMicros).toBe(6_000_000);
  });

  it("a replica that starts meanwhile takes its share of what the ledger has left", async () => {
    const { limits: redis, connection } = await replica();
    await server.stop();
    await expect.poll(() => connection.isReady).toBe(false);
    const late = await replica();
    const subject = unique();
    const account = { subject: `key:${subject}`, period: "total" as const };
    let replicas = 2;
    const ledger = {
      accounts: () => [account],
      spent: async () => [{ ...account, start: 0, micros: 4_000_000 }],
      replicas: async () => replicas,
    };
    const admitted = async (store: LimitStore) => {
      let count = 0;
      const limits: Limits = { rpm: 100, budgets: [{ usd: 10, period: "total" }] };
      for (let index = 0; index < 20; index += 1) {
        const call = reservation(subject, limits, { micros: 1_000_000 });
        if ((await store.reserve(call)).excess !== undefined) continue;
        store.settle(call, { tokens: 0, micros: 1_000_000 });
        count += 1;
      }
      return count;
    };
    // Six of ten dollars are left, for two replicas.
    expect(await admitted(createFailover(late.limits, late.connection, () => "local", ledger))).toBe(3);
    replicas = 3;
    expect(await admitted(createFailover(late.limits, late.connection, () => "local", ledger))).toBe(2);
    // A replica that was connected reads the ledger too, because others have spent more since its last request to
    // Redis.
    const old = createFailover(redis, connection, () => "local", ledger);
    await old.read(reservation(subject, { budgets: [{ usd: 10, period: "total" }] }).subjects);
    await old.reserve(reservation(unique(), { rpm: 1 }));
    await expect
      .poll(async () => (await old.reserve(reservation(unique(), { rpm: 1 }))).excess)
      .toBeUndefined();
    expect(await admitted(old)).toBe(2);
    await server.start();
  });

  it.each(["local", "refuse"] as const)(
    "running calls are charged once when Redis is back, with redis_failure %s",
    async (failure) => {
      const { limits: inRedis, connection } = await replica();
      const store = createFailover(inRedis, connection, () => failure);
      const subject = unique();
      const limits: Limits = { concurrency: 50, budgets: [{ usd: 100, period: "total" }] };
      const running = Array.from({ length: 20 }, () => reservation(subject, limits, { micros: 1_000_000 }));
      for (const call of running) expect((await store.reserve(call)).excess).toBeUndefined();
      const use = { tokens: 0, micros: 500_000 };
      const left = async () => (await store.read(running[0]?.subjects ?? []))[0]?.budgets[0]?.remainingMicros;
      for (const call of running.slice(0, 5)) store.settle(call, use);
      // The cost of these five calls is counted, and $15 are reserved.
      await expect.poll(left).toBe(100_000_000 - 5 * 500_000 - 15 * 1_000_000);
      await server.stop();
      await expect.poll(() => connection.isReady).toBe(false);
      for (const call of running.slice(5, 15)) store.settle(call, use);
      const next = store.reserve(reservation(subject, limits, { micros: 1_000_000 }));
      if (failure === "local") expect((await next).excess).toBeUndefined();
      else await expect(next).rejects.toMatchObject({ status: 503 });
      await server.start();
      await expect.poll(() => connection.isReady).toBe(true);
      for (const call of running.slice(15)) store.settle(call, use);
      // This Redis has lost the charges from before it was killed. The 15 calls that ended afterwards count.
      await expect.poll(left).toBe(100_000_000 - 15 * 500_000);
    },
  );

  it("a reservation that Redis makes too late is released, and its call is charged once", async () => {
    const { limits: redis, connection } = await replica();
    const store = createFailover(redis, connection, () => "local");
    closers.push(() => store.close());
    const limits: Limits = { concurrency: 2, budgets: [{ usd: 10, period: "total" }] };
    const late = reservation(unique(), limits, { micros: 5_000_000 });
    await store.read(late.subjects);
    await pauseRedis(1_500);
    expect((await store.reserve(late)).excess).toBeUndefined();
    store.settle(late, { tokens: 0, micros: 1_000_000 });
    await expect.poll(() => connection.isReady, { timeout: 3_000 }).toBe(true);
    await expect
      .poll(async () => redis.read(late.subjects))
      .toMatchObject([{ concurrency: { remaining: 2 }, budgets: [{ remainingMicros: 9_000_000 }] }]);
  });

  it("calls that end while it is silent are charged once", async () => {
    const { limits: redis, connection } = await replica();
    const store = createFailover(redis, connection, () => "local");
    closers.push(() => store.close());
    const limits: Limits = { concurrency: 9, budgets: [{ usd: 10, period: "total" }] };
    const running = Array.from({ length: 4 }, () => reservation("silent", limits, { micros: 1_000_000 }));
    for (const call of running) await store.reserve(call);
    const [first, second, ...others] = running;
    await pauseRedis(1_500);
    // These two commands are sent, and their responses are late.
    for (const call of [first, second]) if (call) store.settle(call, { tokens: 0, micros: 500_000 });
    await expect.poll(() => connection.isReady, { timeout: 3_000 }).toBe(false);
    expect(store.redisState?.()).toEqual({ status: "down", reason: "no response" });
    for (const call of others) store.settle(call, { tokens: 0, micros: 500_000 });
    // No call waits for a silent Redis.
    expect((await store.reserve(reservation("other", { rpm: 1 }))).excess).toBeUndefined();
    expect(connection.isReady).toBe(false);
    await expect.poll(() => store.redisState?.().status, { timeout: 3_000 }).toBe("ok");
    await expect
      .poll(async () => redis.read(running[0]?.subjects ?? []))
      .toMatchObject([{ concurrency: { remaining: 9 }, budgets: [{ remainingMicros: 8_000_000 }] }]);
  });

  it("a process that was busy uses the reply that has arrived meanwhile", async () => {
    const { limits: redis } = await replica();
    const call = reservation(unique(), { rpm: 1 });
    await redis.read(call.subjects);
    const decision = redis.reserve(call);
    await new Promise((resolve) => setImmediate(resolve));
    const end = performance.now() + 1_300;
    while (performance.now() < end);
    expect((await decision).excess).toBeUndefined();
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

describe("cooldowns in Redis", () => {
  const upstream = (name: string, keys: string[] = []) =>
    ({ name, dialect: "messages", keys, credentials: "config" }) as unknown as UpstreamConfig;
  const target = (name: string, keys: string[] = []) => ({
    upstream: upstream(name, keys),
    model: "m",
    key: keys[1],
  });

  /** `skew` is the number of milliseconds by which the replica's clock is ahead. */
  async function cooldowns(skew = 0) {
    const { connection } = await replica();
    const share = createRedisCooldowns(connection, unique());
    closers.push(share.close);
    return createCooldowns(() => Date.now() + skew, share);
  }

  it("begin and end at all replicas, whatever their clocks are", async () => {
    const name = unique();
    const [one, other] = [await cooldowns(), await cooldowns(30_000)];
    const limited = {
      kind: "refused",
      status: 429,
      headers: { "retry-after": "20" },
      body: "",
      pauseInBody: undefined,
    };
    one.record(target(name, ["sk-1", "sk-2"]), limited as unknown as AttemptOutcome);
    await expect
      .poll(() => other.list())
      .toMatchObject([{ upstream: name, key: 2, model: "m", status: 429 }]);
    const left = (other.list()[0]?.until ?? 0) - (Date.now() + 30_000);
    expect(left).toBeGreaterThan(5_000);
    expect(left).toBeLessThanOrEqual(20_000);
    expect(other.availableKeysFirst(target(name, ["sk-1", "sk-2"]), ["sk-2", "sk-1"])).toEqual([
      "sk-1",
      "sk-2",
    ]);
    one.record(target(name, ["sk-1", "sk-2"]), { kind: "completed" } as AttemptOutcome);
    await expect.poll(() => other.list()).toEqual([]);
  });

  it("include open circuits, which a success at one replica closes at all", async () => {
    const name = unique();
    const [one, other] = [await cooldowns(), await cooldowns()];
    const failed = { kind: "refused", status: 500, headers: {}, body: "", pauseInBody: undefined };
    for (let index = 0; index < 5; index += 1) one.record(target(name), failed as unknown as AttemptOutcome);
    await expect.poll(() => other.list()).toMatchObject([{ upstream: name, status: 500 }]);
    const late = await cooldowns();
    await expect.poll(() => late.list().filter((each) => each.upstream === name)).toHaveLength(1);
    other.record(target(name), { kind: "completed" } as AttemptOutcome);
    await expect.poll(() => one.list()).toEqual([]);
  });
});
