import { createHighlighter, LANGS } from "../../../node_modules/@pierre/highlights/dist/highlighter.js";
import wasmUrl from "../../../node_modules/@pierre/highlights/dist/highlights.wasm?url";

/**
 * Highlights a text. Returns records as in `src/render/diff/text/tokens.ts`; undefined if the highlighter does not know
 * the language or the text is too long for it. Language names are those of `src/render/diff/text/language.ts`.
 */
export type Highlight = (text: string, language: string) => Uint32Array | undefined;

/**
 * Loads the highlighter for this browser: WebAssembly if possible, otherwise JavaScript, otherwise none.
 * Never rejects.
 */
export async function loadHighlighter(): Promise<Highlight> {
  try {
    return await loadWasmHighlighter();
  } catch {
    return loadFallback();
  }
}

async function loadFallback(): Promise<Highlight> {
  try {
    const { scriptHighlighter } = await import("./script-highlighter.ts");
    return scriptHighlighter;
  } catch {
    return () => undefined;
  }
}

// The package makes its styled tokens and HTML from records, which are cheaper to create and need no theme. The records
// require the language ids in `LANGS`, which the package does not export, so its file is imported by path and the
// version is pinned exactly.

/** Members of the class that its public interface omits. */
interface RecordHighlighter {
  writeInput(text: string): number;
  tokenizeLineRecords(languageId: number, byteLength: number): Uint32Array;
}

/** Loads the WebAssembly highlighter. Rejects if it cannot be loaded or the browser does not allow WebAssembly. */
async function loadWasmHighlighter(): Promise<Highlight> {
  const module = await compile();
  const highlighter = createHighlighter(module) as unknown as RecordHighlighter;
  return (text, language) => {
    const id = Object.hasOwn(LANGS, language) ? LANGS[language] : undefined;
    if (id === undefined || id === 0) return undefined;
    // Copies the result, because the next call overwrites the module's memory.
    return highlighter.tokenizeLineRecords(id, highlighter.writeInput(text)).slice();
  };
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await fetch(wasmUrl);
  if (response.headers.get("content-type")?.startsWith("application/wasm")) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}
