import { defined } from "../../exchange/defined.ts";
import { asString, isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation } from "../../exchange/parts.ts";

/** `citations` of a text block. They hold for the whole block: the dialect cuts its text where citations change. */
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
 * A citation for a client. Another vendor's points to a page; `encrypted_index`, which only the vendor of this dialect
 * can fill, is empty. One that points to no page is a loss.
 */
export function encodeCitation(citation: Citation, list: LossList): unknown {
  if (citation.origin?.dialect === "messages") return citation.origin.raw;
  if (citation.url === undefined) {
    list.add("answer-citation", "Citations dropped: the dialect supports citations of web pages only.");
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
