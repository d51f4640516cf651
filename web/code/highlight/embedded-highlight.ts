import type { Highlight } from "./highlight.ts";
import { scriptHighlighter } from "./script-highlighter.ts";

/**
 * Returns the JavaScript highlighter. Replaces the function of `highlight.ts` in a saved page, which cannot
 * load WebAssembly.
 */
export async function loadHighlighter(): Promise<Highlight> {
  return scriptHighlighter;
}

/**
 * Resolves to undefined, so that long texts are plain. Replaces the function of `highlight-elsewhere.ts` in a
 * saved page, which cannot start a worker.
 */
export async function highlightElsewhere(): Promise<undefined> {
  return undefined;
}
