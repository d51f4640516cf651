import type { Highlight } from "./highlight.ts";
import { scriptHighlighter } from "./script-highlighter.ts";

/** Replaces `highlight.ts` in a saved page, which cannot load WebAssembly. */
export async function loadHighlighter(): Promise<Highlight> {
  return scriptHighlighter;
}

/** Replaces `highlight-elsewhere.ts` in a saved page, which cannot start a worker: long texts stay plain. */
export async function highlightElsewhere(): Promise<undefined> {
  return undefined;
}
