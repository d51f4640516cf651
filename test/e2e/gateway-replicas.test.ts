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

/** Starts two replicas whose key has the limits. */
async function startPair(limits: object) {
  world ??= startWorld();
  const { upstream, redis, postgres } = await world;
  const database = await postgres.createDatabase();
  const prices = { "*": { input: 0, output: 10_000 } };
  const settings = {
    auth_mode: "strict",
    database,
    redis: redis.url,
    api_keys: [{ name: "team key", key_env: "TEST_KEY", limits }],
    upstreams: { vendor: { dialect: "chat-completions", base_url: upstream.url, prices } },
    models: [{ match: "*", upstream: "vendor" }],
  };
  const urls: string[] = [];
  for (let index = 0; index < 2; index += 1) {
    const folder = await sandbox();
    const config = join(folder, "config.json");
    await writeFile(config, JSON.stringify({ proxy: settings }));
    const port = await quietPort();
    const args = ["proxy", "start", "--config", config, "--port", String(port)];
    const command = await startCommand(args, { folder, environment: { TEST_KEY: KEY } });
    await command.waitForOutput(/Proxy listening/);
    urls.push(`http://127.0.0.1:${port}`);
  }
  return { urls, upstream, postgres, database: new URL(database).pathname.slice(1) };
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
    ["a rate", { rpm: 37 }],
    ["a budget", { budgets: [{ usd: 37, period: "month" }] }],
  ])("admit what %s allows of 200 concurrent calls", async (_name, limits) => {
    const { urls, upstream, postgres, database } = await startPair(limits);
    const before = upstream.hits.length;
    const statuses = await Promise.all(Array.from({ length: CALLS }, (_, index) => call(urls[index % 2])));
    const admitted = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(CALLS - admitted);
    expect(upstream.hits.length - before).toBe(admitted);
    if ("rpm" in limits) expect(admitted).toBeGreaterThanOrEqual(37);
    else expect(admitted).toBe(37);
    // Each call, admitted or not, is one row.
    const rows = async () =>
      await postgres.query("select status, count(*)::int from calls group by 1 order by 1", database);
    await expect.poll(rows).toEqual([
      { status: "200", count: admitted },
      { status: "429", count: CALLS - admitted },
    ]);
    // Both replicas have written theirs; the calls that are admitted may all have come to one of them.
    const written = "select count(*)::int as count from calls group by replica";
    expect(await postgres.query(written, database)).toEqual([{ count: CALLS / 2 }, { count: CALLS / 2 }]);
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
