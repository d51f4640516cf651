import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleSqliteWorker } from "../../scripts/sqlite-worker.mjs";
import type { SqliteWorkerFiles } from "../../src/database/sqlite/worker-client.ts";

let built: Promise<SqliteWorkerFiles> | undefined;

/** Bundles the SQLite thread from the sources under test, once a test file. */
export function sqliteWorkerFiles(): Promise<SqliteWorkerFiles> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<SqliteWorkerFiles> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-sqlite-"));
  try {
    await bundleSqliteWorker(folder);
    return {
      script: readFileSync(join(folder, "sqlite.cjs"), "utf8"),
      wasm: readFileSync(join(folder, "sqlite.wasm")),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
