// The files are named, as the page does, because the package's entry compiles its code while it is being loaded.
import { createHighlighter, LANGS } from "../../../../node_modules/@pierre/highlights/dist/highlighter.js";
import code from "../../../../node_modules/@pierre/highlights/dist/highlights.wasm.mjs";

/** Token records as in the page's `core/tokens.ts`; undefined when the language is not known. */
export type Highlight = (text: string, language: string) => Uint32Array | undefined;

/** Part of the class that its public interface leaves out. */
interface RecordHighlighter {
  writeInput(text: string): number;
  tokenizeLineRecords(languageId: number, byteLength: number): Uint32Array;
}

let loading: Promise<Highlight> | undefined;

/** The page's highlighter, compiled once, beside whatever else runs. */
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
    // The answer lies in the module's memory, which the next call overwrites.
    return highlighter.tokenizeLineRecords(id, highlighter.writeInput(text)).slice();
  };
}
