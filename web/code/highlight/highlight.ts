import { createHighlighter, LANGS } from "../../../node_modules/@pierre/highlights/dist/highlighter.js";
import wasmUrl from "../../../node_modules/@pierre/highlights/dist/highlights.wasm?url";

/**
 * Highlights a text: records as in `core/tokens.ts`, or undefined when the language is not known. Languages go by the
 * names of `core/language.ts`.
 */
export type Highlight = (text: string, language: string) => Uint32Array | undefined;

/** The highlighter of this browser: WebAssembly, else plain JavaScript, else none. Never rejects. */
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

// The package's entry offers styled objects, one a token. The records they are made from are about ten times cheaper
// and need no theme, so its class is imported by file; the version is pinned exactly.

/** Part of the class that its public interface leaves out. */
interface RecordHighlighter {
  writeInput(text: string): number;
  tokenizeLineRecords(languageId: number, byteLength: number): Uint32Array;
}

/** The highlighter in WebAssembly, compiled while it arrives. Rejects where the browser refuses it. */
async function loadWasmHighlighter(): Promise<Highlight> {
  const module = await compile();
  const highlighter = createHighlighter(module) as unknown as RecordHighlighter;
  return (text, language) => {
    const id = Object.hasOwn(LANGS, language) ? LANGS[language] : undefined;
    if (id === undefined || id === 0) return undefined;
    // The answer lies in the module's memory, which the next call overwrites.
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
