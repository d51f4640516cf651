import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { getAsset, isSea } from "node:sea";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { SqliteWorkerFiles } from "../database/sqlite/worker-client.ts";
import type { SymbolFiles } from "../review/code/symbols/symbols-client.ts";

/** Reads the built SQLite thread: from the executable, beside the bundle, or from dist/ when run from source. */
export async function sqliteWorkerFiles(): Promise<SqliteWorkerFiles> {
  const [script, wasm] = await Promise.all([readWorkerFile("sqlite.cjs"), readWorkerFile("sqlite.wasm")]);
  return { script: toText(script), wasm };
}

/** Reads the built thread that parses symbols. `grammar` reads the grammar of a language. */
export async function symbolFiles(): Promise<SymbolFiles> {
  const wasm = async (name: string) => promisify(gunzip)(await readWorkerFile(`${name}.wasm.gz`));
  const [script, parser] = await Promise.all([readWorkerFile("symbols.cjs"), wasm("tree-sitter")]);
  return { script: toText(script), parser, grammar: (name) => wasm(`tree-sitter-${name}`) };
}

async function readWorkerFile(name: string): Promise<Uint8Array> {
  if (isSea()) return new Uint8Array(getAsset(`workers/${name}`));
  const candidates = ["../workers", "../../dist/workers"].map((path) => resolve(import.meta.dirname, path));
  const folder = candidates.find((path) => existsSync(path)) ?? candidates[0] ?? "";
  return readFile(resolve(folder, name));
}

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString();
