import type { ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { quietPort } from "../support/quiet-port.ts";
import { type PostgresServer, type RedisServer, startPostgres, startRedis } from "../support/servers.ts";
import { sandbox, startCommand } from "../support/spawned-command.ts";

const KEY = "sk-replica-0123456789abcdef";
const CALLS = 200;
const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

interface World {
  readonly upstream: FakeUpstream;
  readonly redis: RedisServer;
  readonly postgres: PostgresServer;
}

let world: Promise<World> | undefined;
let pairs = 0;

/** Starts the servers with the first test. 100 tokens of a response cost $1. */
async function startWorld(): Promise<World> {
  const message = { role: "assistant", content: "hi" };
  const usage = { prompt_tokens: 5, completion_tokens: 100, total_tokens: 105 };
  const upstream = await startFakeUpstream(
    json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }),
  );
  closers.push(upstream.close);
  const redis = await startRedis();
  closers.push(redis.remove);
  const postgres = await startPostgres();
  closers.push(postgres.remove);
  return { upstream, redis, postgres };
}

/** Moves a process's clock. */
const clockAhead = (ms: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `const Real = Date; const now = () => Real.now() + ${ms};
     globalThis.Date = class extends Real {
       constructor(...given) { if (given.length === 0) super(now()); else super(...given); }
       static now() { return now(); }
     };`,
  )}`,
});

/**
 * Starts two replicas whose key has the limits. `clocks` are the milliseconds by which their clocks are ahead, `more`
 * has further settings.
 */
async function startPair(limits: object, clocks: readonly number[] = [0, 0], more: object = {}) {
  world ??= startWorld();
  // A repeated test shares Redis with its first attempt.
  pairs += 1;
  const { upstream, redis, postgres } = await world;
  const database = await postgres.createDatabase();
  const prices = { "*": { input: 0, output: 10_000 } };
  const settings = {
    auth_mode: "strict",
    database,
    redis: redis.url,
    api_keys: [{ name: `team key ${pairs}`, key_env: "TEST_KEY", limits }],
    upstreams: { vendor: { dialect: "chat-completions", base_url: upstream.url, prices } },
    models: [{ match: "*", upstream: "vendor" }],
    ...more,
  };
  const processes: ChildProcess[] = [];
  const startReplica = async (clock = 0) => {
    const folder = await sandbox();
    const config = join(folder, "config.json");
    await writeFile(config, JSON.stringify({ proxy: settings }));
    const port = await quietPort();
    const args = ["proxy", "start", "--config", config, "--port", String(port)];
    const environment = { TEST_KEY: KEY, ...(clock !== 0 && clockAhead(clock)) };
    const command = await startCommand(args, { folder, environment });
    await command.waitForOutput(/Proxy listening/);
    processes.push(command.child);
    return `http://127.0.0.1:${port}`;
  };
  const urls: string[] = [];
  for (const clock of clocks) urls.push(await startReplica(clock));
  const name = new URL(database).pathname.slice(1);
  /** Returns the number of calls in the ledger by status. */
  const rows = () => postgres.query("select status, count(*)::int from calls group by 1 order by 1", name);
  return { urls, processes, startReplica, upstream, redis, postgres, database: name, rows };
}

/** Sends calls to the replicas in turn, all at once, and returns how many were admitted. The others must get 429. */
async function admittedOf(count: number, urls: readonly string[]): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: count }, (_, index) => call(urls[index % urls.length])),
  );
  const admitted = statuses.filter((status) => status === 200).length;
  expect(statuses.filter((status) => status === 429)).toHaveLength(count - admitted);
  return admitted;
}

async function call(url: string | undefined): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "hi" }] }),
  });
  await response.text();
  return response.status;
}

describe("two replicas that share Redis and PostgreSQL", () => {
  it.each([
    ["a rate", { rpm: 37 }, [0, 0]],
    ["a budget", { budgets: [{ usd: 37, period: "month" }] }, [0, 0]],
    ["a budget, with clocks 60 s apart,", { budgets: [{ usd: 37, period: "day" }] }, [-30_000, 30_000]],
  ])("admit what %s allows of 200 concurrent calls", async (_name, limits, clocks) => {
    const { urls, upstream, postgres, database, rows } = await startPair(limits, clocks);
    const before = upstream.hits.length;
    const admitted = await admittedOf(CALLS, urls);
    expect(upstream.hits.length - before).toBe(admitted);
    if ("rpm" in limits) expect(admitted).toBeGreaterThanOrEqual(37);
    else expect(admitted).toBe(37);
    // Each call, admitted or not, is one row.
    await expect.poll(rows).toEqual([
      { status: "200", count: admitted },
      { status: "429", count: CALLS - admitted },
    ]);
    // Both replicas have written their rows. All admitted calls may have been sent to one of them.
    const written = "select count(*)::int as count from calls group by replica";
    expect(await postgres.query(written, database)).toEqual([{ count: CALLS / 2 }, { count: CALLS / 2 }]);
  });

  it("never pass a budget when Redis is killed, a replica joins and Redis comes back empty", async () => {
    const { urls, startReplica, redis, rows } = await startPair({ budgets: [{ usd: 37, period: "total" }] });
    let admitted = await admittedOf(10, urls);
    expect(admitted).toBe(10);
    await expect.poll(rows).toEqual([{ status: "200", count: 10 }]);
    await redis.stop("SIGKILL");
    // Each enforces its share of the remaining $27.
    admitted += await admittedOf(100, urls);
    // The replica that joins counts the rows that the others have written, which they do within a second.
    await expect.poll(rows).toEqual([
      { status: "200", count: admitted },
      { status: "429", count: 110 - admitted },
    ]);
    const joined = await startReplica();
    admitted += await admittedOf(50, [...urls, joined]);
    expect(admitted).toBeGreaterThan(20);
    expect(admitted).toBeLessThanOrEqual(37);
    await expect.poll(rows).toEqual([
      { status: "200", count: admitted },
      { status: "429", count: 160 - admitted },
    ]);
    await redis.start();
    // The ledger has the amount that was spent. Exactly the rest is admitted, although the replicas reconnect one
    // after another.
    await expect
      .poll(async () => {
        admitted += await admittedOf(3, [...urls, joined]);
        return admitted;
      })
      .toBe(37);
    expect(await admittedOf(30, [...urls, joined])).toBe(0);
  });
});

describe("a replica that is killed during calls", () => {
  it("releases its places and its budget, and each of its calls is one row", async () => {
    const limits = { concurrency: 10, budgets: [{ usd: 15, period: "total" }] };
    const pair = await startPair(limits, [0, 0], { timeouts: { total: 5 } });
    const { urls, processes, upstream, rows } = pair;
    const { respond } = upstream;
    upstream.respond = () => {};
    const before = upstream.hits.length;
    const broken = Array.from({ length: 10 }, () => call(urls[0]).catch(() => "broken"));
    await expect.poll(() => upstream.hits.length - before).toBe(10);
    upstream.respond = respond;
    expect(await call(urls[1])).toBe(429);
    processes[0]?.kill("SIGKILL");
    expect(new Set(await Promise.all(broken))).toEqual(new Set(["broken"]));
    // Its places and the reserved $10 are released when the time limit of its calls has passed.
    let refused = 1;
    await expect
      .poll(
        async () => {
          const status = await call(urls[1]);
          if (status === 429) refused += 1;
          return status;
        },
        { timeout: 20_000, interval: 250 },
      )
      .toBe(200);
    // The calls began one after another, so their reservations do not all end with the same check.
    await expect
      .poll(async () => (await rows()).find(({ status }) => status === "500")?.["count"], { timeout: 10_000 })
      .toBe(10);
    // $1 is spent. One call after another, so that none is refused for want of a place.
    for (let count = 1; count < 15; count += 1) expect(await call(urls[1])).toBe(200);
    expect(await call(urls[1])).toBe(429);
    await expect.poll(rows).toEqual([
      { status: "200", count: 15 },
      { status: "429", count: refused + 1 },
      { status: "500", count: 10 },
    ]);
  });
});

describe("a proxy without its database", () => {
  it("ends with code 2 and names the host, not the password", async () => {
    const folder = await sandbox();
    const port = await quietPort();
    const database = `postgres://sally:pg-canary-secret@127.0.0.1:${await quietPort()}/none`;
    const args = ["proxy", "start", "--port", String(port)];
    const command = await startCommand(args, { folder, environment: { SERVICE_PROXY_DATABASE: database } });
    const { code, stdout, stderr } = await command.ended;
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/postgres:\/\/127\.0\.0\.1:\d+\/none.*ECONNREFUSED/);
    expect(stderr).not.toContain("pg-canary-secret");
  });
});
