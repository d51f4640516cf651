import { type Kysely, type Migration, Migrator, sql } from "kysely";
import { AppError } from "../errors.ts";
import { createDailyRollups, createLedgerTables } from "./migrations-ledger.ts";
import { createUsageTotals } from "./migrations-totals.ts";
import type { Schema } from "./schema.ts";

/** Every change of the schema, in order. A migration that was released is never edited. */
const migrations: Record<string, Migration> = {
  "0001_initial": { up: createTables },
  "0002_ledger": { up: createLedgerTables },
  "0003_captures": { up: createCaptures },
  "0004_replicas": { up: createReplicaTables },
  "0005_capture_by_key": {
    up: (db: Kysely<unknown>) => db.schema.alterTable("gateway_keys").addColumn("capture", "text").execute(),
  },
  "0006_usage_by_day": { up: createDailyRollups },
  "0007_mcp_by_key": {
    up: (db: Kysely<unknown>) => db.schema.alterTable("gateway_keys").addColumn("mcp", "text").execute(),
  },
  "0008_usage_totals": { up: createUsageTotals },
};

/**
 * Migrates the database to this program's schema. Kysely (on PostgreSQL) or the driver (of SQLite) holds a lock during
 * the migration, so that several processes may start at once. Throws `configuration` if the database was written by a
 * newer version.
 */
export async function migrate(db: Kysely<Schema>, name: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const applied = await migrator.getMigrations().catch(missingMigration);
  const { error } = applied === "newer" ? { error: newer(name) } : await migrator.migrateToLatest();
  if (error === undefined) return;
  throw isMissingMigration(error) ? newer(name) : error;
}

function missingMigration(error: unknown): "newer" {
  if (isMissingMigration(error)) return "newer";
  throw error;
}

/** Returns whether Kysely reports a migration in the database that the program does not have. */
function isMissingMigration(error: unknown): boolean {
  return error instanceof Error && /corrupted migrations: previously executed/.test(error.message);
}

function newer(name: string): AppError {
  return new AppError("configuration", `The database ${name} is newer than this version of sallyport`, {
    hint: "Run the newest version of sallyport, or name another database in proxy.database.",
  });
}

async function createCaptures(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("captures")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("time", "bigint", (column) => column.notNull())
    .addColumn("bodies", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("captures_time").on("captures").column("time").execute();
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("teams")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("tags", "text", (column) => column.notNull())
    .addColumn("limits", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("gateway_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("team", "text", (column) => column.references("teams.name"))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .addColumn("models", "text")
    .addColumn("tags", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("limits", "text", (column) => column.notNull())
    .addColumn("first_start", "integer", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("key_secrets")
    .addColumn("sha256", "text", (column) => column.primaryKey())
    .addColumn("key_id", "text", (column) => column.notNull().references("gateway_keys.id"))
    .addColumn("valid_until", "bigint")
    .execute();
  await db.schema
    .createTable("revisions")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .execute();
  await sql`insert into revisions (id, revision) values (1, 0)`.execute(db);
  await db.schema
    .createTable("audit")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("time", "bigint", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("address", "text")
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("detail", "text", (column) => column.notNull())
    .execute();
}

async function createReplicaTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("replicas")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .addColumn("in_flight", "integer", (column) => column.notNull())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("responses")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("time", "bigint", (column) => column.notNull())
    // SQLite stores the bytes regardless of the column's declared type.
    .addColumn("body", sql`bytea`, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("responses_time").on("responses").column("time").execute();
}
