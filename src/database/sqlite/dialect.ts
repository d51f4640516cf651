import { setTimeout as delay } from "node:timers/promises";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  CompiledQuery as Query,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { acquireFileLock, RETRY_MS } from "../../files/file-lock.ts";
import { createQueue } from "../../files/in-turn.ts";
import type { SqlRequest } from "./protocol.ts";
import type { SqliteWorker } from "./worker-client.ts";

/** Maximum milliseconds that a statement waits for another process. A report over millions of rows takes seconds. */
const LOCK_WAIT_MS = 30_000;
/** Milliseconds for which the lock is kept after a statement, for the next one. */
const LOCK_IDLE_MS = 100;
/** Milliseconds after which the lock is released between two statements, because other processes may wait. */
const LOCK_KEPT_MS = 500;
/** Milliseconds before the lock is acquired again after that: longer than other processes wait between attempts. */
const LOCK_PAUSE_MS = RETRY_MS + 10;

/**
 * Returns Kysely's dialect for a file that several processes share, such as the proxy and the command line. One process
 * at a time uses the file, for one or several statements or transactions: the WebAssembly build of SQLite has no locks
 * that end with their process.
 */
export function sqliteDialect(path: string, start: () => SqliteWorker): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(path, start),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(path: string, start: () => SqliteWorker): Driver {
  const worker = start();
  const connection = createConnection(worker);
  const lease = createLease(`${path}-lock`);
  let releaseFile = () => {};
  const run = (sql: string) => connection.executeQuery(Query.raw(sql)).then(() => {});
  return {
    init: async () => {},
    async acquireConnection() {
      releaseFile = await lease.acquire();
      return connection;
    },
    releaseConnection: async () => releaseFile(),
    beginTransaction: () => run("begin immediate"),
    commitTransaction: () => run("commit"),
    rollbackTransaction: () => run("rollback"),
    async destroy() {
      await worker.close();
      await lease.end();
    },
  };
}

interface Lease {
  /** Waits for the file, in order, and resolves with a function that lets the next caller use it. */
  acquire(): Promise<() => void>;
  /** Removes the lock file. */
  end(): Promise<void>;
}

/** Returns a lease that keeps the lock file between statements, which often follow each other within milliseconds. */
function createLease(path: string): Lease {
  const inTurn = createQueue();
  let lock: { readonly since: number; release(): Promise<void> } | undefined;
  let idle: NodeJS.Timeout | undefined;

  async function acquireLock() {
    clearTimeout(idle);
    if (lock !== undefined && performance.now() - lock.since > LOCK_KEPT_MS) {
      await releaseLock();
      await delay(LOCK_PAUSE_MS);
    }
    lock ??= { release: await acquireFileLock(path, LOCK_WAIT_MS), since: performance.now() };
  }
  async function releaseLock() {
    clearTimeout(idle);
    const released = lock;
    lock = undefined;
    await released?.release();
  }

  return {
    acquire: () =>
      new Promise((resolve, reject) => {
        inTurn(async () => {
          await acquireLock();
          await new Promise<void>((end) => resolve(end));
          idle = setTimeout(() => void inTurn(releaseLock), LOCK_IDLE_MS);
        }).catch(reject);
      }),
    end: () => inTurn(releaseLock),
  };
}

function createConnection(worker: SqliteWorker): DatabaseConnection {
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changes } = await worker.run(sql, parameters as SqlRequest["parameters"]);
      return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
    },
    // The worker sends all rows in one message, so a stream would save nothing.
    async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
      yield await this.executeQuery<Row>(query);
    },
  };
}
