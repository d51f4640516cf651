import { loadWasmHighlighter } from "./wasm-highlighter.ts";

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
