import type { Citation } from "../../exchange/parts.ts";
import type { WireCitations, WireGrounding } from "./schema.ts";

/**
 * The web pages an answer is grounded in, as citations of its text. The vendor counts bytes of UTF-8; citations count
 * UTF-16 units. Supports of other parts than the first cannot be placed once texts are joined, and carry no offsets.
 */
export function decodeGrounding(grounding: WireGrounding | null | undefined, text: string): Citation[] {
  const chunks = grounding?.groundingChunks ?? [];
  return (grounding?.groundingSupports ?? []).flatMap((support) => {
    const { segment } = support;
    const isPlaced = (segment?.partIndex ?? 0) === 0 && typeof segment?.endIndex === "number";
    const span = isPlaced
      ? { start: unitsBefore(text, segment?.startIndex ?? 0), end: unitsBefore(text, segment?.endIndex ?? 0) }
      : {};
    const quote = typeof segment?.text === "string" ? { quote: segment.text } : {};
    return (support.groundingChunkIndices ?? []).flatMap((index): Citation[] => {
      const web = chunks[index]?.web;
      if (typeof web?.uri !== "string") return [];
      return [
        { url: web.uri, ...(typeof web.title === "string" ? { title: web.title } : {}), ...quote, ...span },
      ];
    });
  });
}

/** Where the answer quotes at length, as citations of its text; bytes as in `decodeGrounding`. */
export function decodeQuotes(quotes: WireCitations | null | undefined, text: string): Citation[] {
  return [...(quotes?.citations ?? []), ...(quotes?.citationSources ?? [])].map(
    ({ uri, title, startIndex, endIndex }) => ({
      ...(typeof uri === "string" ? { url: uri } : {}),
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof endIndex === "number"
        ? { start: unitsBefore(text, startIndex ?? 0), end: unitsBefore(text, endIndex) }
        : {}),
    }),
  );
}

/** UTF-16 units in the first `bytes` bytes of the text's UTF-8. */
function unitsBefore(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString().length;
}
