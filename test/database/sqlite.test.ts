import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../../src/database/open-database.ts";
import { sqliteWorkerFiles } from "../support/sqlite-worker.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const opened: Database[] = [];

async function open(path: string): Promise<Database> {
  const db = await openDatabase({ engine: "sqlite", path }, sqliteWorkerFiles);
  opened.push(db);
  return db;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((db) => db.destroy()));
});

describe("a SQLite database", () => {
  it("has its tables, and files that only their owner can read", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "proxy", "sallyport.db");
    const db = await open(path);
    await db
      .insertInto("teams")
      .values({ name: "search", created_at: 1, tags: "{}", limits: "{}" })
      .execute();
    expect(await db.selectFrom("teams").selectAll().execute()).toEqual([
      { name: "search", created_at: 1, tags: "{}", limits: "{}" },
    ]);
    for (const name of readdirSync(join(folder, "proxy")))
      expect([name, statSync(join(folder, "proxy", name)).mode & 0o077]).toEqual([name, 0]);
  });

  it("keeps what several connections write at once", async () => {
    const path = join(await temporaryFolder(), "sallyport.db");
    const databases = await Promise.all([open(path), open(path), open(path)]);
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        databases[index % 3]
          ?.insertInto("teams")
          .values({ name: `team-${index}`, created_at: index, tags: "{}", limits: "{}" })
          .execute(),
      ),
    );
    const { count } = await databases[0]!
      .selectFrom("teams")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    expect(count).toBe(30);
  });

  it("takes a transaction back whole", async () => {
    const db = await open(join(await temporaryFolder(), "sallyport.db"));
    const insert = { created_at: 1, tags: "{}", limits: "{}" };
    await expect(
      db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto("teams")
          .values({ name: "one", ...insert })
          .execute();
        await transaction
          .insertInto("teams")
          .values({ name: "one", ...insert })
          .execute();
      }),
    ).rejects.toMatchObject({ code: "storage" });
    expect(await db.selectFrom("teams").selectAll().execute()).toEqual([]);
  });

  it("leaves no lock behind", async () => {
    const path = join(await temporaryFolder(), "sallyport.db");
    await open(path);
    expect(existsSync(`${path}-lock`)).toBe(false);
  });
});
