import { chmod, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type { ClientConfig, Pool } from "pg";
import { type DatabaseLocation, describeLocation } from "../config/proxy/database-location.ts";
import { AppError, getErrorMessage } from "../errors.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { migrate } from "./migrations.ts";
import type { Schema } from "./schema.ts";
import { sqliteDialect } from "./sqlite/dialect.ts";
import { type SqliteWorkerFiles, startSqliteWorker } from "./sqlite/worker-client.ts";

export type Database = Kysely<Schema>;

const engines = new WeakMap<Database, "sqlite" | "postgres">();

/** Returns the engine of an opened database, for statements that differ between engines. */
export function getEngine(db: Database): "sqlite" | "postgres" {
  return engines.get(db) ?? "sqlite";
}

/** Returns the placeholder of a parameter in a statement that is written as text; `number` counts from 1. */
export function placeholder(db: Database, number: number): string {
  return getEngine(db) === "sqlite" ? "?" : `$${number}`;
}

/**
 * Opens the database and migrates it to this program's schema. Throws `configuration` if it cannot be reached or is
 * newer than the program, and `storage` if SQLite reports an error; no message contains a password. `workerFiles` is
 * only called for SQLite, and `signal` ends SQLite's thread. `currentUrl` returns PostgreSQL's URL with the password
 * that new connections use, if the password may change.
 */
export async function openDatabase(
  location: Exclude<DatabaseLocation, { engine: "none" }>,
  workerFiles: () => Promise<SqliteWorkerFiles>,
  { signal, currentUrl }: { readonly signal?: AbortSignal; readonly currentUrl?: () => string } = {},
): Promise<Database> {
  const db =
    location.engine === "sqlite"
      ? await openSqlite(location.path, await workerFiles(), signal)
      : await openPostgres(location.url, currentUrl);
  engines.set(db, location.engine);
  try {
    await migrateAt(location, db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error instanceof AppError ? error : unreachable(location, error);
  }
}

/**
 * Migrates a database that has replaced the opened one, such as an empty one after a failover, to this program's
 * schema. Returns false if `error` does not report missing tables.
 */
export async function replaceMissingTables(
  db: Database,
  location: DatabaseLocation,
  error: unknown,
): Promise<boolean> {
  // PostgreSQL's undefined_table.
  if (!(error instanceof Error) || Object(error).code !== "42P01" || location.engine === "none") return false;
  await migrateAt(location, db);
  return true;
}

/** Migrates the database. On PostgreSQL, the time limit of each statement of a migration is `MIGRATION_MS`. */
async function migrateAt(
  location: Exclude<DatabaseLocation, { engine: "none" }>,
  db: Database,
): Promise<void> {
  if (location.engine === "sqlite") return migrate(db, describeLocation(location));
  const url = new URL(location.url);
  url.searchParams.set("query_timeout", String(MIGRATION_MS));
  const patient = await openPostgres(url.href);
  try {
    await migrate(patient, describeLocation(location));
  } finally {
    await patient.destroy();
  }
}

/**
 * SQLSTATE classes, and one code, of a server that is unreachable or overloaded, rejects the credentials, or was
 * replaced.
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58|42P01)/;

/**
 * Throws `database_unavailable` if PostgreSQL is unreachable or overloaded, rejects the credentials, or was replaced.
 * Rethrows any other error.
 */
export function rethrow(error: unknown): never {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  const isState = typeof code === "string" && /^\d[\dA-Z]{4}$/.test(code);
  const isUnavailable = isState ? UNAVAILABLE.test(code) : name === "Error" || name === "AggregateError";
  if (!isUnavailable || error instanceof AppError) throw error;
  const reason = getErrorMessage(error);
  throw new AppError("database_unavailable", `The database cannot be used: ${reason}. Retry in a moment.`, {
    cause: error,
  });
}

function unreachable(location: DatabaseLocation, cause: unknown): AppError {
  return new AppError(
    "configuration",
    `Cannot use the database ${describeLocation(location)}: ${getErrorMessage(cause)}`,
    { cause, hint: 'Check proxy.database, or set it to "none" to run without keys and usage.' },
  );
}

/** Opens a SQLite file. Creates it and its journal with mode 0600, because SQLite would let other users read them. */
async function openSqlite(path: string, files: SqliteWorkerFiles, signal?: AbortSignal): Promise<Database> {
  try {
    await makePrivateFolder(dirname(path));
    for (const file of [path, `${path}-journal`]) {
      const handle = await open(file, "a", 0o600);
      await handle.close();
      await chmod(file, 0o600);
    }
  } catch (cause) {
    throw unreachable({ engine: "sqlite", path }, cause);
  }
  return new Kysely<Schema>({ dialect: sqliteDialect(path, () => startSqliteWorker(path, files, signal)) });
}

/** Maximum number of connections of one process to PostgreSQL. */
const MAX_CONNECTIONS = 5;
const CONNECT_MS = 10_000;
/**
 * Timeout of a PostgreSQL statement, in milliseconds; `query_timeout` in the URL takes precedence. The client enforces
 * the timeout, because a server that is stopped or unreachable cannot end a statement itself.
 */
const QUERY_MS = 30_000;
/** Milliseconds for a statement of a migration, which may rewrite a table. */
const MIGRATION_MS = 600_000;

async function openPostgres(url: string, currentUrl = () => url): Promise<Database> {
  const { default: pg } = await import("pg");
  // Counts, times and microdollars are far below 2^53, so numbers represent them exactly.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
  class Client extends pg.Client {
    constructor(options?: ClientConfig) {
      const own = new URL(url);
      own.password = new URL(currentUrl()).password;
      super({ ...options, connectionString: own.href });
    }
  }
  const pool = new pg.Pool({
    Client,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced when the next one is requested.
  pool.on("error", () => {});
  // If a connection breaks between two statements, the next statement fails. Without a listener, the error would end
  // the process.
  pool.on("connect", (client) => void client.on("error", () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: createTimedPool(pool) }) });
}

/**
 * Returns the pool with connections that end when a statement takes too long. `pg` would return such a connection to
 * the pool, and later statements would wait for the one that has no response.
 */
function createTimedPool(pool: Pool): PostgresPool {
  return {
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const query = async (sql: string, parameters: readonly unknown[]) => {
        try {
          return await client.query(sql, [...parameters]);
        } catch (error) {
          if (getErrorMessage(error) !== "Query read timeout") throw error;
          void client.end();
          throw new Error("PostgreSQL does not respond", { cause: error });
        }
      };
      // The other overload takes a cursor, which is not used.
      return { query: query as unknown as PostgresPoolClient["query"], release: () => client.release() };
    },
  };
}
