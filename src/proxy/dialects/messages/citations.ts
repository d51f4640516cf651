import { defined } from "../../exchange/defined.ts";
import { asString, isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation } from "../../exchange/parts.ts";

/**
 * Parses a citation of a text block; returns undefined if `raw` is not an object. A citation applies to the whole
 * block, because the dialect starts a new block where citations change.
 */
export function decodeCitation(raw: unknown): Citation | undefined {
  if (!isObject(raw)) return undefined;
  return defined({
    url: asString(raw["url"]) ?? asString(raw["source"]),
    title: asString(raw["title"]) ?? asString(raw["document_title"]),
    quote: asString(raw["cited_text"]),
    origin: { dialect: "messages" as const, raw },
  });
}

/**
 * Encodes a citation. A citation of another vendor becomes a web search citation with an empty `encrypted_index`,
 * because only Anthropic can create this value. A citation without a URL is a loss.
 */
export function encodeCitation(citation: Citation, list: LossList): unknown {
  if (citation.origin?.dialect === "messages") return citation.origin.raw;
  if (citation.url === undefined) {
    list.add("answer-citation", "Citations without a URL dropped: the dialect has no equivalent.");
    return undefined;
  }
  return {
    type: "web_search_result_location",
    url: citation.url,
    title: citation.title ?? null,
    cited_text: citation.quote ?? "",
    encrypted_index: "",
  };
}
