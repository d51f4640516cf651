import { isObject } from "../../exchange/json.ts";
import type { Citation, ServerToolPart } from "../../exchange/parts.ts";
import type { WireCandidate, WireCitations, WireGrounding } from "./schema.ts";

/**
 * Converts the grounding of a response to citations of its text. The vendor's offsets count bytes of UTF-8, and the
 * offsets of citations count UTF-16 code units. Only citations of the first part have offsets, because the positions of
 * later parts are unknown once the texts are joined.
 */
export function decodeGrounding(grounding: WireGrounding | null | undefined, text: string): Citation[] {
  const pages = toCitations(grounding);
  const supports = grounding?.groundingSupports ?? [];
  const supported = new Set(supports.flatMap((support) => support.groundingChunkIndices ?? []));
  const unsupported = pages.filter((_, index) => !supported.has(index));
  const cited = supports.flatMap((support) => {
    const { segment } = support;
    const hasOffsets = (segment?.partIndex ?? 0) === 0 && typeof segment?.endIndex === "number";
    const span = hasOffsets
      ? { start: unitsBefore(text, segment?.startIndex ?? 0), end: unitsBefore(text, segment?.endIndex ?? 0) }
      : {};
    const quote = typeof segment?.text === "string" ? { quote: segment.text } : {};
    return (support.groundingChunkIndices ?? []).flatMap((index): Citation[] => {
      const page = pages[index];
      return page === undefined ? [] : [{ ...page, ...quote, ...span }];
    });
  });
  return [...cited, ...unsupported];
}

/** Returns a citation for each source of a response, in order. A source that is a file at the vendor has no URL. */
function toCitations(grounding: WireGrounding | null | undefined): Citation[] {
  return (grounding?.groundingChunks ?? []).map((chunk) => {
    const page = Object.values(chunk).find(isObject) ?? {};
    const { uri, title } = page;
    return {
      ...(typeof uri === "string" && /^https?:/.test(uri) ? { url: uri } : {}),
      ...(typeof title === "string" ? { title } : {}),
    };
  });
}

type Lookups = Pick<WireCandidate, "groundingMetadata" | "urlContextMetadata">;

/** Converts the searches and the fetched pages of a response to calls of hosted tools, which all have this `id`. */
export function decodeLookups(candidate: Lookups, id: string): ServerToolPart[] {
  const { groundingMetadata: grounding, urlContextMetadata: fetched } = candidate;
  const base = { type: "server-tool", phase: "call", id } as const;
  const queries = grounding?.webSearchQueries ?? [];
  const output = toCitations(grounding).filter(({ url }) => url !== undefined);
  const search: ServerToolPart = {
    ...base,
    tool: "web-search",
    name: "web_search",
    input: { queries },
    output,
  };
  const fetches: ServerToolPart = {
    ...base,
    tool: "web-fetch",
    name: "web_fetch",
    output: fetched?.urlMetadata,
  };
  return [...(queries.length > 0 ? [search] : []), ...(fetched?.urlMetadata?.length ? [fetches] : [])];
}

/** Converts the sources of quoted text to citations. Offsets are converted as in `decodeGrounding`. */
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

/** Returns the number of UTF-16 code units in the first `bytes` UTF-8 bytes of the text. */
function unitsBefore(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString().length;
}
