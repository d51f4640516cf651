import { Worker } from "node:worker_threads";
import { AppError } from "../../errors.ts";
import type { SqlRequest, SqlResponse, SqlResult, WorkerSettings } from "./protocol.ts";

/** The built worker (`dist/workers`): its script, and SQLite as WebAssembly. */
export interface SqliteWorkerFiles {
  readonly script: string;
  readonly wasm: Uint8Array;
}

export interface SqliteWorker {
  /**
   * Runs a statement once, or once for each list of parameters. Rejects with `storage` if SQLite reports an error or
   * the thread has ended.
   */
  run(sql: string, parameters: SqlRequest["parameters"]): Promise<SqlResult>;
  /** Closes the file and ends the thread. */
  close(): Promise<void>;
}

/**
 * Starts a thread that holds one open database file. The thread keeps the process alive only during a statement and
 * `close`. `signal` ends the thread even during a statement, as the end of the process would.
 */
export function startSqliteWorker(
  path: string,
  files: SqliteWorkerFiles,
  signal?: AbortSignal,
): SqliteWorker {
  const settings: WorkerSettings = { path, wasm: files.wasm };
  // node:sqlite is experimental in Node.js 22 and 24, which would otherwise print a warning on stderr for every
  // command.
  const worker = new Worker(files.script, { eval: true, workerData: settings, execArgv: ["--no-warnings"] });
  worker.unref();
  const waiting = new Map<number, { resolve(result: SqlResult): void; reject(error: Error): void }>();
  let nextId = 0;
  let ended: Error | undefined;

  const settle = (id: number) => {
    const entry = waiting.get(id);
    waiting.delete(id);
    // Only a pending statement may keep the process alive.
    if (waiting.size === 0) worker.unref();
    return entry;
  };
  worker.on("message", (response: SqlResponse) => {
    const entry = settle(response.id);
    if ("error" in response) entry?.reject(failure(path, response.error));
    else entry?.resolve(response);
  });
  const fail = (reason: string) => {
    ended = failure(path, reason);
    for (const id of [...waiting.keys()]) settle(id)?.reject(ended);
  };
  worker.on("error", (error) => fail(error instanceof Error ? error.message : String(error)));
  const onAbort = () => {
    fail("the thread was ended");
    void worker.terminate();
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return {
    run(sql, parameters) {
      if (ended) return Promise.reject(ended);
      worker.ref();
      const id = nextId++;
      const result = new Promise<SqlResult>((resolve, reject) => waiting.set(id, { resolve, reject }));
      worker.postMessage({ id, sql, parameters });
      return result;
    },
    async close() {
      if (ended) return;
      const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
      worker.ref();
      worker.postMessage("close");
      await exited;
    },
  };
}

function failure(path: string, reason: string): AppError {
  return new AppError("storage", `SQLite failed on ${path}: ${reason}.`);
}
