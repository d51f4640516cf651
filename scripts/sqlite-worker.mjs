// Bundles the thread that runs SQLite, and the WebAssembly build beside it, into a folder.
import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const OWN_MODULE = 'var Module=typeof Module!="undefined"?Module:{};';

/** Writes `sqlite.cjs` and `sqlite.wasm` to `folder`, with these plugins in addition to this module's. */
export async function bundleSqliteWorker(folder, plugins = []) {
  mkdirSync(folder, { recursive: true });
  await build({
    input: resolve(root, "src/database/sqlite/worker.ts"),
    platform: "node",
    logLevel: "warn",
    plugins: [takesWasm(), ...plugins],
    output: { file: join(folder, "sqlite.cjs"), format: "cjs", codeSplitting: false, minify: "dce-only" },
  });
  copyFileSync(
    resolve(root, "node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm"),
    join(folder, "sqlite.wasm"),
  );
}

/**
 * Matches the position of the mode in the call that creates the package's lock folder. The package passes no mode, so
 * other users could read the folder.
 */
const LOCK = /(?<=fs\.mkdirSync\(`\$\{_path\(fi\)\}\.lock`)(?=\))/;

/**
 * Returns a plugin that passes the .wasm file to the package, which would read it from its own folder, and creates the
 * lock folder with mode 0700. The package's folder does not exist in the executable.
 */
function takesWasm() {
  return {
    name: "takes-wasm",
    transform(code, id) {
      if (!id.endsWith("node-sqlite3-wasm.js")) return undefined;
      if (!code.startsWith(OWN_MODULE)) throw new Error(`${id} does not start with: ${OWN_MODULE}`);
      if (!LOCK.test(code)) throw new Error(`${id} no longer contains: ${LOCK}`);
      const own = code.slice(OWN_MODULE.length).replace(LOCK, ",0o700");
      return `var Module={wasmBinary:require("node:worker_threads").workerData.wasm};${own}`;
    },
  };
}
