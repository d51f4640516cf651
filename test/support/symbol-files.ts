import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundleSymbolsScript } from "../../scripts/symbols-worker.mjs";
import type { SymbolFiles } from "../../src/review/code/symbols/symbols-client.ts";

const WASM = resolve(import.meta.dirname, "../../node_modules/@vscode/tree-sitter-wasm/wasm");
let built: Promise<SymbolFiles> | undefined;

/** Bundles the thread that parses symbols from the sources under test, once a test file. */
export function symbolFiles(): Promise<SymbolFiles> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<SymbolFiles> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-symbols-"));
  try {
    await bundleSymbolsScript(folder);
    return {
      script: readFileSync(join(folder, "symbols.cjs"), "utf8"),
      parser: readFileSync(join(WASM, "tree-sitter.wasm")),
      grammar: async (name) => readFileSync(join(WASM, `tree-sitter-${name}.wasm`)),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
