import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { getAsset, isSea } from "node:sea";
import type { SqliteWorkerFiles } from "../database/sqlite/worker-client.ts";

/** Reads the built SQLite thread: from the executable, beside the bundle, or from dist/ when run from source. */
export async function sqliteWorkerFiles(): Promise<SqliteWorkerFiles> {
  if (isSea())
    return {
      script: getAsset("workers/sqlite.cjs", "utf8"),
      wasm: new Uint8Array(getAsset("workers/sqlite.wasm")),
    };
  const candidates = ["../workers", "../../dist/workers"].map((path) => resolve(import.meta.dirname, path));
  const folder = candidates.find((path) => existsSync(path)) ?? candidates[0] ?? "";
  const [script, wasm] = await Promise.all([
    readFile(resolve(folder, "sqlite.cjs"), "utf8"),
    readFile(resolve(folder, "sqlite.wasm")),
  ]);
  return { script, wasm };
}
