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
import { withFileLock } from "../../files/file-lock.ts";
import { createQueue } from "../../files/in-turn.ts";
import type { SqlRequest } from "./protocol.ts";
import type { SqliteWorker } from "./worker-client.ts";

/** Maximum milliseconds that a statement waits for another process. A report over millions of rows takes seconds. */
const LOCK_WAIT_MS = 30_000;

/**
 * Returns Kysely's dialect for a file that several processes share, such as the proxy and the command line. One process
 * at a time uses the file, for the length of a statement or transaction: the WebAssembly build of SQLite has no locks
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
  const acquireFile = createLease(`${path}-lock`);
  let releaseFile = async () => {};
  const run = (sql: string) => connection.executeQuery(Query.raw(sql)).then(() => {});
  return {
    init: async () => {},
    async acquireConnection() {
      releaseFile = await acquireFile();
      return connection;
    },
    releaseConnection: () => releaseFile(),
    beginTransaction: () => run("begin immediate"),
    commitTransaction: () => run("commit"),
    rollbackTransaction: () => run("rollback"),
    destroy: () => worker.close(),
  };
}

/** Returns a function that waits for the lock, in order, and resolves with a function that releases the lock. */
function createLease(path: string): () => Promise<() => Promise<void>> {
  const inTurn = createQueue();
  return () =>
    new Promise((resolve, reject) => {
      const locked = inTurn(() => withFileLock(path, untilReleased, LOCK_WAIT_MS));
      locked.catch(reject);
      function untilReleased(): Promise<void> {
        return new Promise((end) =>
          resolve(() => {
            end();
            return locked;
          }),
        );
      }
    });
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
