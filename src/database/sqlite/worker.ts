import { parentPort, workerData } from "node:worker_threads";
import { openEngine, type SqliteEngine } from "./engine.ts";
import type { SqlLists, SqlRequest, SqlResponse, SqlResult, SqlValue, WorkerSettings } from "./protocol.ts";

// Runs in a worker thread: SQLite blocks while it reads and writes, and the main thread serves calls.
const { path }: WorkerSettings = workerData;
let engine: Promise<SqliteEngine> | undefined;

parentPort?.on("message", async (request: SqlRequest | "close") => {
  if (request === "close") {
    (await engine)?.close();
    parentPort?.close();
  } else parentPort?.postMessage(await respond(request));
});

/** Opens the file with the first statement, because only then does this process hold the lock. */
async function respond({ id, sql, parameters }: SqlRequest): Promise<SqlResponse> {
  try {
    engine ??= openEngine(path);
    return { id, ...execute(await engine, sql, parameters) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

function execute(engine: SqliteEngine, sql: string, parameters: SqlRequest["parameters"]): SqlResult {
  if (!Array.isArray(parameters[0])) return engine.run(sql, parameters as readonly SqlValue[]);
  const changes = engine.runEach(sql, parameters as SqlLists);
  return { rows: changes.map((count) => ({ changes: count })), changes: 0 };
}
