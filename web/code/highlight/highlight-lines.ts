import { create } from "zustand";
import { hunkText, type ParsedPatch, type Side } from "../../../src/render/diff/patch/parsed-patch.ts";
import { detectLanguage } from "../../../src/render/diff/text/language.ts";
import { indexTokens, type Tokens } from "../../../src/render/diff/text/tokens.ts";
import { type Highlight, loadHighlighter } from "./highlight.ts";
import { highlightElsewhere } from "./highlight-elsewhere.ts";

/**
 * Maximum length in UTF-16 units of a text that is highlighted synchronously, which is faster than in a
 * worker.
 */
const MAX_SYNC_LENGTH = 40_000;
/** Maximum length in UTF-16 units of a highlighted text. Longer texts stay plain. */
const MAX_TEXT_LENGTH = 8_000_000;

/** The version increases when highlighting arrives, so that rows render again. */
export const useHighlighting = create<{ readonly version: number }>(() => ({ version: 0 }));

let highlight: Highlight | undefined;
const byHunk = new WeakMap<ParsedPatch, Map<string, Tokens | null>>();
const byText = new WeakMap<readonly string[], Tokens | null>();

/** Loads the highlighter. Code is plain until the highlighter is loaded, or if it cannot be loaded. */
export async function startHighlighting(): Promise<void> {
  highlight = await loadHighlighter();
  raiseVersion();
}

/**
 * Returns the tokens of one side of a hunk, from the hunk's first line on that side. Returns undefined until the tokens
 * are ready, and for text that cannot be highlighted.
 */
export function highlightHunk(
  patch: ParsedPatch,
  path: string,
  hunk: number,
  side: Side,
): Tokens | undefined {
  if (!highlight) return undefined;
  const memory = byHunk.get(patch) ?? new Map<string, Tokens | null>();
  byHunk.set(patch, memory);
  const key = `${hunk}${side}`;
  const known = memory.get(key);
  if (known !== undefined) return known ?? undefined;
  const language = patch.hunks[hunk]?.language ?? detectLanguage(path);
  return highlightText(hunkText(patch, hunk, side), language, (tokens) => memory.set(key, tokens));
}

/** Returns the tokens of a whole text, given as its lines; undefined as for `highlightHunk`. */
export function highlightWholeText(lines: readonly string[], path: string): Tokens | undefined {
  if (!highlight) return undefined;
  const known = byText.get(lines);
  if (known !== undefined) return known ?? undefined;
  return highlightText(lines.join("\n"), detectLanguage(path), (tokens) => byText.set(lines, tokens));
}

/**
 * Highlights synchronously, or in a worker for long texts. Passes the result to `keep`; null until the result is ready,
 * and for text that cannot be highlighted.
 */
function highlightText(
  text: string,
  language: string,
  keep: (tokens: Tokens | null) => void,
): Tokens | undefined {
  keep(null);
  if (text.length > MAX_TEXT_LENGTH || language === "text") return undefined;
  if (text.length > MAX_SYNC_LENGTH) {
    void highlightElsewhere(text, language).then((records) => {
      if (!records) return;
      keep(indexTokens(records));
      raiseVersion();
    });
    return undefined;
  }
  const records = highlight?.(text, language);
  const tokens = records ? indexTokens(records) : null;
  keep(tokens);
  return tokens ?? undefined;
}

function raiseVersion(): void {
  useHighlighting.setState(({ version }) => ({ version: version + 1 }));
}
