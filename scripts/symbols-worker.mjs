// Bundles the thread that parses files for their symbols, with the compressed grammars.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const wasm = resolve(root, "node_modules/@vscode/tree-sitter-wasm/wasm");

/** Languages as in src/review/code/symbols/languages.ts; a test keeps the two equal. */
export const GRAMMARS = [
  "bash",
  "c-sharp",
  "cpp",
  "go",
  "java",
  "javascript",
  "php",
  "python",
  "ruby",
  "rust",
  "tsx",
  "typescript",
];

/** Writes `symbols.cjs`, `tree-sitter.wasm.gz` and a file for each grammar to `folder`. */
export async function bundleSymbolsWorker(folder, plugins = []) {
  await bundleSymbolsScript(folder, plugins);
  for (const name of ["tree-sitter", ...GRAMMARS.map((grammar) => `tree-sitter-${grammar}`)]) {
    const file = `${name}.wasm`;
    writeFileSync(join(folder, `${file}.gz`), gzipSync(readFileSync(join(wasm, file)), { level: 9 }));
  }
}

/** Writes the script without the grammars. */
export async function bundleSymbolsScript(folder, plugins = []) {
  mkdirSync(folder, { recursive: true });
  await build({
    input: resolve(root, "src/review/code/symbols/worker.ts"),
    platform: "node",
    logLevel: "warn",
    // The parser's loader evaluates code only for side modules with inline code. No grammar is such a module.
    checks: { eval: false },
    plugins,
    output: { file: join(folder, "symbols.cjs"), format: "cjs", codeSplitting: false, minify: "dce-only" },
  });
}
