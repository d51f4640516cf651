import { createClient } from "@redis/client";
import { sql } from "kysely";
import { afterAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/database/open-database.ts";
import { connectRedis } from "../../../src/proxy/gateway/redis-connection.ts";
import { toScript } from "../../../src/proxy/gateway/redis-limits.ts";
import { startPostgres, startRedis } from "../../support/servers.ts";
import { sqliteWorkerFiles } from "../../support/sqlite-worker.ts";

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

describe("a password that changes while the proxy runs", () => {
  it("is used for new connections to PostgreSQL", async () => {
    const postgres = await startPostgres();
    closers.push(postgres.remove);
    const url = new URL(await postgres.createDatabase());
    await postgres.query("create role rotating login superuser password 'old/1'");
    [url.username, url.password] = ["rotating", encodeURIComponent("old/1")];
    const location = { engine: "postgres", url: url.href } as const;
    const db = await openDatabase(location, sqliteWorkerFiles, { currentUrl: () => url.href });
    closers.push(() => db.destroy());
    await postgres.query("alter role rotating password 'new/2'");
    await postgres.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotating'");
    const ask = () => sql<{ value: number }>`select 42 as value`.execute(db).then(({ rows }) => rows);
    await expect.poll(() => ask().catch(({ code }) => code)).toBe("28P01");
    url.password = encodeURIComponent("new/2");
    await expect.poll(() => ask().catch(({ code }) => code)).toEqual([{ value: 42 }]);
  });

  it("is used for new connections to Redis", async () => {
    const redis = await startRedis();
    closers.push(redis.remove);
    const admin = await createClient({ url: redis.url }).connect();
    closers.push(async () => admin.destroy());
    const setPassword = async (password: string) => {
      await admin.sendCommand(["CONFIG", "SET", "requirepass", password]);
      await admin.sendCommand(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
    };
    await setPassword("old/1");
    const url = new URL(redis.url);
    url.password = encodeURIComponent("old/1");
    const connection = await connectRedis(
      () => url.href,
      () => {},
    );
    closers.push(async () => connection.close());
    expect(connection.isReady).toBe(true);
    await setPassword("new/2");
    await expect.poll(() => connection.isReady).toBe(false);
    url.password = encodeURIComponent("new/2");
    await expect.poll(() => connection.isReady).toBe(true);
    expect(await connection.run(toScript("return 42"), [])).toBe(42);
  });
});
