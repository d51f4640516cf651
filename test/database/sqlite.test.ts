import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
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

  it("keeps its lock between statements, and removes it after them and when it is closed", async () => {
    const path = join(await temporaryFolder(), "sallyport.db");
    const db = await open(path);
    let unlocked = 0;
    for (let count = 0; count < 20; count += 1) {
      await db.selectFrom("teams").selectAll().execute();
      if (!existsSync(`${path}-lock`)) unlocked += 1;
    }
    // On a busy machine, it may be removed a few times.
    expect(unlocked).toBeLessThan(5);
    await vi.waitFor(() => expect(existsSync(`${path}-lock`)).toBe(false));
    await db.selectFrom("teams").selectAll().execute();
    await db.destroy();
    expect(existsSync(`${path}-lock`)).toBe(false);
  });

  it("lets others use the file between statements that follow each other without a pause", async () => {
    const path = join(await temporaryFolder(), "sallyport.db");
    const [busy, other] = [await open(path), await open(path)];
    let done = false;
    const statements = (async () => {
      while (!done) await busy.selectFrom("teams").selectAll().execute();
    })();
    const found: unknown[] = [];
    for (let count = 0; count < 3; count += 1)
      found.push(await other.selectFrom("teams").selectAll().execute());
    done = true;
    await statements;
    expect(found).toEqual([[], [], []]);
  });
});
