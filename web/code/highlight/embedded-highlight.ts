import type { Highlight } from "./highlight.ts";
import { scriptHighlighter } from "./script-highlighter.ts";

/** Replaces the function of `highlight.ts` in a saved page, which cannot load WebAssembly. */
export async function loadHighlighter(): Promise<Highlight> {
  return scriptHighlighter;
}

/** Replaces the function of `highlight-elsewhere.ts` in a saved page, which cannot start a worker: long texts are plain. */
export async function highlightElsewhere(): Promise<undefined> {
  return undefined;
}
