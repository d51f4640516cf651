import { defined } from "../../exchange/defined.ts";
import { asString, isObject } from "../../exchange/json.ts";
import type { LossList } from "../../exchange/loss.ts";
import type { Citation } from "../../exchange/parts.ts";

/**
 * Converts the `annotations` of a message to citations. An annotation other than `url_citation` is kept in its original
 * form. Offsets count characters of the message's content.
 */
export function decodeCitations(annotations: readonly unknown[] | null | undefined): Citation[] {
  return (annotations ?? []).map((annotation): Citation => {
    const cited = isObject(annotation) ? annotation["url_citation"] : undefined;
    if (!isObject(cited)) return { origin: { dialect: "chat-completions", raw: annotation } };
    return defined({
      url: asString(cited["url"]),
      title: asString(cited["title"]),
      quote: asString(cited["content"]),
      start: index(cited["start_index"]),
      end: index(cited["end_index"]),
    });
  });
}

/**
 * Returns the pages that a response cites as a whole: Perplexity's `search_results` or, without them, the `citations`
 * of Perplexity and xAI. Callers use these pages only for text without annotations.
 */
export function decodePages(response: {
  readonly citations?: unknown;
  readonly search_results?: unknown;
}): Citation[] {
  const results = toList(response.search_results).filter(isObject);
  if (results.length > 0)
    return results.map(({ url, title }) => defined({ url: asString(url), title: asString(title) }));
  return toList(response.citations).flatMap((url) => (typeof url === "string" ? { url } : []));
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Encodes the citations of a text that has `length` characters and starts at character `offset` of the content. A
 * citation without a URL, such as a citation of a file, is a loss.
 */
export function encodeCitations(
  citations: readonly Citation[] | undefined,
  { offset, length }: { readonly offset: number; readonly length: number },
  list: LossList,
): object[] {
  return (citations ?? []).flatMap((citation) => {
    if (citation.url !== undefined) return [encodeCitation(citation, citation.url, offset, length)];
    list.add("answer-citation", "Citations without a URL dropped: the dialect has no equivalent.");
    return [];
  });
}

function encodeCitation(citation: Citation, url: string, offset: number, length: number): object {
  return {
    type: "url_citation",
    url_citation: {
      url,
      title: citation.title ?? url,
      start_index: offset + (citation.start ?? 0),
      end_index: offset + (citation.end ?? length),
    },
  };
}

function index(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
