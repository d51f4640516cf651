// Imports the same files as the page, because the package's entry point compiles the WebAssembly code on import.
import { createHighlighter, LANGS } from "../../../../node_modules/@pierre/highlights/dist/highlighter.js";
import code from "../../../../node_modules/@pierre/highlights/dist/highlights.wasm.mjs";

/**
 * A function that returns token records as in `src/render/diff/text/tokens.ts`; undefined for plain text and for an
 * unknown language.
 */
export type Highlight = (text: string, language: string) => Uint32Array | undefined;

/** Methods of the class that its public types leave out. */
interface RecordHighlighter {
  writeInput(text: string): number;
  tokenizeLineRecords(languageId: number, byteLength: number): Uint32Array;
}

let loading: Promise<Highlight> | undefined;

/** Returns the page's highlighter, compiled once and asynchronously. */
export function loadHighlighter(): Promise<Highlight> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Highlight> {
  const module = await WebAssembly.compile(code);
  const highlighter = createHighlighter(module) as unknown as RecordHighlighter;
  return (text, language) => {
    const id = Object.hasOwn(LANGS, language) ? LANGS[language] : undefined;
    if (id === undefined || id === 0) return undefined;
    // The result is in the module's memory, which the next call overwrites.
    return highlighter.tokenizeLineRecords(id, highlighter.writeInput(text)).slice();
  };
}
