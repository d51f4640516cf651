import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import type { DatabaseLocation } from "../../src/config/proxy/database-location.ts";
import { type Database, openDatabase } from "../../src/database/open-database.ts";
import { type PostgresServer, startPostgres } from "./servers.ts";
import { sqliteWorkerFiles } from "./sqlite-worker.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The database engines on which every test of the store runs. */
export const ENGINES = ["sqlite", "postgres"] as const;
export type Engine = (typeof ENGINES)[number];
export type Location = Exclude<DatabaseLocation, { engine: "none" }>;

/**
 * Returns functions that create databases. Each engine starts, and creates its tables, with the first test of a file
 * that needs it. Every test uses a copy.
 */
export function testDatabases() {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-databases-"));
  const template = join(folder, "template.db");
  let server: Promise<PostgresServer> | undefined;
  let isTemplateReady: Promise<void> | undefined;
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await (await server)?.remove();
  });
  async function migrated(location: Location): Promise<void> {
    await (await openDatabase(location, sqliteWorkerFiles)).destroy();
  }
  async function startMigrated(): Promise<PostgresServer> {
    const started = await startPostgres();
    await migrated({ engine: "postgres", url: await started.createDatabase() });
    return started;
  }
  const postgres = () => {
    server ??= startMigrated();
    return server;
  };
  async function locate(engine: Engine): Promise<Location> {
    if (engine === "postgres") return { engine, url: await (await postgres()).createDatabase("d1") };
    isTemplateReady ??= migrated({ engine, path: template });
    await isTemplateReady;
    const path = join(await temporaryFolder(), "sallyport.db");
    copyFileSync(template, path);
    return { engine, path };
  }
  /** Opens a database, a new one by default, until the test ends. */
  async function open(engine: Engine, location?: Location): Promise<Database> {
    const db = await openDatabase(location ?? (await locate(engine)), sqliteWorkerFiles);
    onTestFinished(() => db.destroy());
    return db;
  }
  return { postgres, locate, open };
}
