import { Worker } from "node:worker_threads";
import { AppError } from "../../../errors.ts";
import type { DiffReference } from "../../api-types.ts";
import type { DeclaredSymbol } from "./extract-symbols.ts";
import { type Grammar, grammarOf } from "./languages.ts";
import type { SymbolsRequest, SymbolsResponse, SymbolsSettings } from "./protocol.ts";

/** The built worker (`dist/workers`): its script, the parser and the grammars as WebAssembly. */
export interface SymbolFiles {
  readonly script: string;
  readonly parser: Uint8Array;
  grammar(name: Grammar): Promise<Uint8Array>;
}

/** Parses files in a thread, and finds names in them. */
export interface SymbolParser {
  /** Parses a file of a diff; undefined for a language without a grammar. Diffs are numbered by the caller. */
  add(diff: number, path: string, text: string): Promise<readonly DeclaredSymbol[] | undefined>;
  /** Returns the references to a name in the added files, declarations first. */
  find(diff: number, name: string): Promise<{ references: readonly DiffReference[]; more: number }>;
  close(): Promise<void>;
}

/**
 * Maximum milliseconds of one request, because hostile text can make a parser slow. After this time, the client ends
 * the thread.
 */
const LIMIT_MS = 20_000;
/** Maximum megabytes of the thread's heap. */
const MAX_HEAP_MB = 512;

/** Starts the thread. The thread keeps the process alive only while it works. Calls `onEnd` when it ends. */
export async function startSymbolParser(files: SymbolFiles, onEnd = () => {}): Promise<SymbolParser> {
  const settings: SymbolsSettings = { parser: files.parser };
  const worker = new Worker(files.script, {
    eval: true,
    workerData: settings,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  worker.unref();
  const loading = new Map<Grammar, Promise<Uint8Array>>();
  const sent = new Set<Grammar>();
  const waiting = new Map<number, { resolve(response: SymbolsResponse): void; reject(error: Error): void }>();
  let nextId = 0;
  let ended: AppError | undefined;

  worker.on("message", (response: SymbolsResponse) => {
    waiting.get(response.id)?.resolve(response);
    waiting.delete(response.id);
    if (waiting.size === 0) worker.unref();
  });
  const fail = (reason: string) => {
    if (!ended) onEnd();
    ended ??= failure(reason);
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  worker.on("error", (error) => fail(error instanceof Error ? error.message : String(error)));
  worker.on("exit", () => fail("the thread ended"));

  const send = async <Kind extends SymbolsRequest["kind"]>(
    request: Extract<SymbolsRequest, { kind: Kind }>,
  ): Promise<SymbolsResponse> => {
    if (ended) throw ended;
    worker.ref();
    const timer = setTimeout(() => {
      fail(`the parser took longer than ${LIMIT_MS / 1_000} s`);
      void worker.terminate();
    }, LIMIT_MS);
    const response = await new Promise<SymbolsResponse>((resolve, reject) => {
      waiting.set(request.id, { resolve, reject });
      worker.postMessage(request);
    }).finally(() => clearTimeout(timer));
    if ("error" in response) throw failure(response.error);
    return response;
  };

  /** Returns the grammar of a language for its first file, and undefined after that. */
  const wasmFor = async (grammar: Grammar): Promise<Uint8Array | undefined> => {
    if (sent.has(grammar)) return undefined;
    const reading = loading.get(grammar) ?? files.grammar(grammar);
    loading.set(grammar, reading);
    const wasm = await reading.finally(() => loading.delete(grammar));
    if (sent.has(grammar)) return undefined;
    sent.add(grammar);
    return wasm;
  };

  return {
    async add(diff, path, text) {
      const grammar = grammarOf(path);
      if (!grammar) return undefined;
      const wasm = await wasmFor(grammar);
      const response = await send<"add">({ kind: "add", id: nextId++, diff, path, grammar, wasm, text });
      return "symbols" in response ? response.symbols : [];
    },
    async find(diff, name) {
      const response = await send<"find">({ kind: "find", id: nextId++, diff, name });
      return "references" in response ? response : { references: [], more: 0 };
    },
    async close() {
      await worker.terminate();
    },
  };
}

function failure(reason: string): AppError {
  return new AppError("internal", `Cannot read the symbols of the diff: ${reason}.`);
}
