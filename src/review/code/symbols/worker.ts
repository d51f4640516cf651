import { parentPort, workerData } from "node:worker_threads";
import { Language, Parser } from "@vscode/tree-sitter-wasm";
import type { DiffReference } from "../../api-types.ts";
import { type DeclaredSymbol, extractSymbols } from "./extract-symbols.ts";
import type { Grammar } from "./languages.ts";
import type { SymbolsRequest, SymbolsResponse, SymbolsSettings } from "./protocol.ts";

// Runs in a worker thread, because parsing a large file would block all other requests.
const { parser: wasmBinary }: SymbolsSettings = workerData;
const options = { locateFile: (file: string) => file, wasmBinary };
const ready = Parser.init(options);
const languages = new Map<Grammar, Promise<Language>>();

/** References by diff and name, kept for the last `MAX_DIFFS` diffs. */
const indexes = new Map<number, Map<string, DiffReference[]>>();
const MAX_DIFFS = 2;
/** Maximum references that are returned. */
const MAX_REFERENCES = 500;
/** Maximum characters of a line that are returned. */
const MAX_LINE = 300;

parentPort?.on("message", async (request: SymbolsRequest) => {
  parentPort?.postMessage(await respond(request));
});

async function respond(request: SymbolsRequest): Promise<SymbolsResponse> {
  const { id } = request;
  try {
    if (request.kind === "find") {
      const found = indexes.get(request.diff)?.get(request.name) ?? [];
      const ordered = [
        ...found.filter(({ declares }) => declares),
        ...found.filter(({ declares }) => !declares),
      ];
      return {
        id,
        references: ordered.slice(0, MAX_REFERENCES),
        more: Math.max(0, ordered.length - MAX_REFERENCES),
      };
    }
    return { id, symbols: await add(request) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

async function add({
  diff,
  path,
  grammar,
  wasm,
  text,
}: Extract<SymbolsRequest, { kind: "add" }>): Promise<readonly DeclaredSymbol[]> {
  await ready;
  if (wasm) languages.set(grammar, Language.load(wasm));
  const language = await languages.get(grammar);
  if (!language) throw new Error(`The grammar ${grammar} is not loaded`);
  const parser = new Parser();
  parser.setLanguage(language);
  const tree = parser.parse(text);
  if (!tree) return [];
  const cursor = tree.walk();
  const { symbols, occurrences } = extractSymbols(cursor);
  cursor.delete();
  tree.delete();
  parser.delete();
  const lines = text.split("\n");
  const index = indexFor(diff);
  for (const { name, line, column, declares } of occurrences) {
    const entries = index.get(name) ?? [];
    index.set(name, entries);
    const shown = (lines[line - 1] ?? "").trim().slice(0, MAX_LINE);
    entries.push({ path, line, column, text: shown, ...(declares ? { declares } : {}) });
  }
  return symbols;
}

function indexFor(diff: number): Map<string, DiffReference[]> {
  const known = indexes.get(diff);
  if (known) return known;
  const index = new Map<string, DiffReference[]>();
  indexes.set(diff, index);
  for (const other of [...indexes.keys()].slice(0, -MAX_DIFFS)) indexes.delete(other);
  return index;
}
