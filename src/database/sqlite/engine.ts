import { rmSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import type { SqlLists, SqlResult, SqlValue } from "./protocol.ts";

/** One open database file. */
export interface SqliteEngine {
  run(sql: string, parameters: readonly SqlValue[]): SqlResult;
  /**
   * Runs a statement, which must return no rows, once for each list of parameters. Returns how many rows each run
   * changed.
   */
  runEach(sql: string, lists: SqlLists): number[];
  close(): void;
}

/**
 * Opens the file with node:sqlite if the running Node.js has it, or with the WebAssembly build of SQLite otherwise. The
 * journal file is kept between transactions, so that its mode stays 0600.
 */
export async function openEngine(path: string): Promise<SqliteEngine> {
  const engine = openNative(path) ?? (await openWasm(path));
  engine.run("pragma journal_mode = persist", []);
  engine.run("pragma foreign_keys = on", []);
  return engine;
}

/** Matches statements that return rows. */
const RETURNS_ROWS = /^\s*(?:select|with|pragma|values)\b|\breturning\b/i;

/** The members of node:sqlite that are used; the type definitions of Node.js 20 lack the module. */
interface NativeModule {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    prepare(sql: string): {
      all(...parameters: readonly SqlValue[]): Record<string, SqlValue>[];
      run(...parameters: readonly SqlValue[]): { readonly changes: number | bigint };
    };
    close(): void;
  };
}

function openNative(path: string): SqliteEngine | undefined {
  const native = process.getBuiltinModule("node:sqlite" as "node:fs") as unknown as NativeModule | undefined;
  if (native === undefined) return undefined;
  const database = new native.DatabaseSync(path);
  return {
    run(sql, parameters) {
      const statement = database.prepare(sql);
      if (RETURNS_ROWS.test(sql)) return { rows: statement.all(...parameters), changes: 0 };
      return { rows: [], changes: Number(statement.run(...parameters).changes) };
    },
    runEach(sql, lists) {
      const statement = database.prepare(sql);
      return lists.map((parameters) => Number(statement.run(...parameters).changes));
    },
    close: () => database.close(),
  };
}

/**
 * Compiles the WebAssembly build with V8's baseline compiler only. For SQLite's largest functions, the optimizing
 * compiler takes 40 MB of memory, which the process does not return to the system, and more CPU time than it saves in
 * 600,000 inserts. V8 reads both flags when a module is compiled. `liftoff-only` also disables `wasm-tier-up`, which V8
 * reads when a function is called for the first time. `wasm-tier-up` stays disabled, which has no effect on modules
 * that were compiled before. `scripts/start/code-cache.mjs` resets it before storing compiled code.
 */
async function loadWasm() {
  for (const flag of ["liftoff-only", "no-wasm-dynamic-tiering"]) setFlagsFromString(`--${flag}`);
  try {
    return await import("node-sqlite3-wasm");
  } finally {
    for (const flag of ["no-liftoff-only", "wasm-dynamic-tiering"]) setFlagsFromString(`--${flag}`);
  }
}

async function openWasm(path: string): Promise<SqliteEngine> {
  const { Database } = await loadWasm();
  const removeLock = () => rmSync(`${path}.lock`, { recursive: true, force: true });
  // If a process is killed, the lock folder of the WebAssembly build remains. The caller holds the driver's lock, so no
  // other process uses the file.
  removeLock();
  const database = new Database(path);
  const run = (sql: string, parameters: readonly SqlValue[]): SqlResult => {
    if (!RETURNS_ROWS.test(sql)) return { rows: [], changes: database.run(sql, [...parameters]).changes };
    return { rows: database.all(sql, [...parameters]) as Record<string, SqlValue>[], changes: 0 };
  };
  return {
    run(sql, parameters) {
      try {
        return run(sql, parameters);
      } catch (error) {
        if (!(error instanceof Error && /database is locked/.test(error.message))) throw error;
        // Another process was killed after this process had opened the file, and left its lock. No other process uses
        // the file, because the caller holds the driver's lock.
        removeLock();
        return run(sql, parameters);
      }
    },
    runEach(sql, lists) {
      const statement = database.prepare(sql);
      try {
        return lists.map((parameters) => statement.run([...parameters]).changes);
      } finally {
        statement.finalize();
      }
    },
    close: () => database.close(),
  };
}
